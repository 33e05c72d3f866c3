import type { ConversationCalls } from './conversation-calls.js'
import type { KnowledgeCalls } from './knowledge-calls.js'
import type { ProfileCalls } from './profile-calls.js'
import type { RecordCalls } from './record-calls.js'
import type { SessionCalls } from './session-calls.js'
import type { WorkingCalls } from './working-calls.js'

/** The stores beside the memories, which share their scope, history, archives and audit. */
export interface NeighbourCalls {
  readonly conversations: ConversationCalls
  readonly knowledge: KnowledgeCalls
  readonly profile: ProfileCalls
  readonly records: RecordCalls
  readonly working: WorkingCalls
  readonly sessions: SessionCalls
}
