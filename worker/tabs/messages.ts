import type { BoundScope } from '../../src/domain/scope.js'
import type { CallName } from '../../src/protocol/calls.js'
import type { ChangeEvent } from '../../src/protocol/events.js'
import type { Outcome } from '../../src/protocol/wire.js'

/** A call that a follower sends to the leader. */
export interface ForwardedCall {
  readonly id: string
  readonly name: CallName
  readonly input: unknown
  readonly scope: BoundScope
  readonly acceptedAt: number
}

/** What the workers of several tabs say to each other. */
export type TabMessage =
  /** A worker that came up asks who serves the store. */
  | { readonly type: 'who-leads'; readonly from: string }
  /** The leader says so: when it takes over, and when asked. A newly heard leader gets all unanswered calls again. */
  | { readonly type: 'leads'; readonly leader: string; readonly protocol: number }
  | {
      readonly type: 'call'
      readonly to: string
      readonly from: string
      readonly protocol: number
      readonly call: ForwardedCall
    }
  | { readonly type: 'cancel'; readonly to: string; readonly id: string }
  | { readonly type: 'answer'; readonly to: string; readonly id: string; readonly outcome: Outcome<unknown> }
  /** Something was committed. */
  | { readonly type: 'changed'; readonly changes: ChangeEvent['changes'] }

/** What a worker says to the broker that joins tabs by ports. */
export type BrokerRequest =
  | { readonly type: 'join'; readonly store: string; readonly id: string }
  | { readonly type: 'lead'; readonly store: string; readonly id: string }
  | { readonly type: 'leave'; readonly store: string; readonly id: string }

/** A direct line, given by the broker to both ends. */
export interface BrokerGrant {
  readonly type: 'line'
  /** The other end. */
  readonly peer: string
}
