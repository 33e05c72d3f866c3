import { canonicalForm, textOf } from '../../../src/domain/canonical.js'
import type { FoundFact } from '../../../src/domain/extract/found.js'
import { keySegment } from '../../../src/domain/mint-key.js'
import { isInRoom } from '../../../src/domain/neighbours/room.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { ForgottenFact, LearnedFact, RefusedFact } from '../../../src/schema/learning.js'
import type { SourceClass } from '../../../src/schema/records.js'
import { type Head, headsByForm } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { echoRefusal, wasTold } from '../echo/served.js'
import { commitWrite } from '../memory/commit.js'
import { headsHere } from '../memory/lifecycle.js'
import { type Fields, type Looked, type PreparedWrite, prepare } from '../memory/prepare.js'
import { type Change, type Recording, type Refused, recorded } from '../memory/recorded.js'
import { changeOf, type Entry, isThere, liveHere, lookOverAll, put } from '../neighbours/put.js'
import { fieldsOf, sinceWhen } from './fact-fields.js'
import { forgetNow } from './forget.js'
import type { ReadTurn } from './read.js'
import { evidenceOf, isPerson, LONGEST_KEPT, type Turn, turnKey } from './turns.js'

export type OnPinned = 'fail' | 'propose'

/** How what was read is written. */
export interface Manner {
  readonly turns: 'keep' | 'named'
  readonly onPinned: OnPinned
}

/** What a few turns gave once it is written. */
export interface Step {
  readonly written: readonly LearnedFact[]
  readonly refused: readonly RefusedFact[]
  readonly moreRefused: number
  readonly forgotten: readonly ForgottenFact[]
  readonly evidence: readonly string[]
}

/** Writes what was read in a few turns, with the turns that say it: one transaction, in the order in which it was said. */
export const writeRead = async (
  engine: Engine,
  context: CallContext,
  read: readonly ReadTurn[],
  recording: Recording,
  { turns: kept, onPinned, also }: Manner & { readonly also?: (step: Step) => void },
): Promise<Step> => {
  const telling = kept === 'named' ? [] : read.filter(({ facts }) => facts.length > 0)
  const turns = telling.map(({ turn, facts }) =>
    evidenceOf(
      turn,
      facts.map(({ said }) => said),
    ),
  )
  const looked = await lookOverAll(engine, context, turns)
  const evidence = new Map(telling.map((one, i) => [one, { entry: turns[i] as Entry, looked: looked[i] as Looked }]))
  const inputs = read.map(({ turn, facts }) => facts.map((fact) => fieldsOf(turn, fact)))
  const prepared = await prepare(engine, inputs.flat(), context)
  const step = recorded<Step>(engine, context, recording, () => {
    const writing = new Writing(engine, context, recording.dryRun, onPinned)
    let at = 0
    read.forEach((one, i) => {
      const count = inputs[i]?.length ?? 0
      writing.turn(one, evidence.get(one) ?? null, inputs[i] ?? [], prepared.slice(at, at + count))
      at += count
    })
    also?.(writing.step)
    return { result: writing.step, changes: writing.changes, refusals: writing.refusals }
  })
  await engine.store.db.durable()
  if (
    turns.length > 0 ||
    prepared.some(({ vectors, degraded }) => degraded.includes('unembedded') || !engine.ladder.covers(vectors))
  )
    engine.wakeIndexing()
  return step
}

/** The turn that says it, as it is to be kept. */
interface Behind {
  readonly entry: Entry
  readonly looked: Looked
}

/** Failures that are about one memory alone. */
const REFUSALS: ReadonlySet<string> = new Set(['BLACKLIST_TIMEOUT', 'EMBEDDING_FAILED'])

/** What is written in one transaction. */
class Writing {
  readonly #engine: Engine
  readonly #context: CallContext
  readonly #options: { readonly ifMatchSha256: undefined; readonly dryRun: boolean; readonly onPinned: OnPinned }
  readonly changes: Change[] = []
  readonly refusals: Refused[] = []
  readonly step = {
    written: [] as LearnedFact[],
    refused: [] as RefusedFact[],
    moreRefused: 0,
    forgotten: [] as ForgottenFact[],
    evidence: [] as string[],
  }

  constructor(engine: Engine, context: CallContext, dryRun: boolean, onPinned: OnPinned) {
    this.#engine = engine
    this.#context = context
    this.#options = { ifMatchSha256: undefined, dryRun, onPinned }
  }

  turn(
    { turn, facts, forget, refused, moreRefused }: ReadTurn,
    behind: Behind | null,
    inputs: readonly Fields[],
    prepared: readonly PreparedWrite[],
  ): void {
    const { step } = this
    step.refused.push(...refused.map(({ text, why }) => ({ message: turn.n, text, why })))
    step.moreRefused += moreRefused
    const evidence = facts.length === 0 ? null : behind === null ? turnKey(turn) : this.#keep(turn, behind)
    if (evidence !== null) step.evidence.push(evidence)
    facts.forEach((fact, i) => {
      const source = evidence === null ? {} : { sourceTrace: evidence }
      const result = this.#commit(turn, fact.said, inputs[i], prepared[i], source, fact)
      if (result === null) return
      const { id, key, version, contentSha256, verdict, status, peers, explanation } = result
      const { statement: value, kind, subject, date } = fact
      step.written.push({
        message: turn.n,
        id,
        key,
        version,
        contentSha256,
        value,
        kind,
        subject,
        verdict,
        status,
        peers,
        explanation,
        evidence: evidence ?? '',
        date,
      })
    })
    for (const request of forget) {
      const { forgotten, changes, kept } = forgetNow(this.#engine, this.#context, request, turn.speaker, step.written)
      step.forgotten.push(...forgotten.map((one) => ({ ...one, message: turn.n, said: request.said })))
      step.refused.push(...kept.map((why) => ({ message: turn.n, text: request.said, why })))
      this.changes.push(...changes)
    }
  }

  /** Keeps the turn, or takes the one that the conversation has already. Answers its id, null when it may not be kept. */
  #keep(turn: Turn, { entry, looked }: Behind): string | null {
    const known = liveHere(this.#engine, this.#context, entry.key)
    const isKnown = known !== null && isThere(known, this.#context.acceptedAt)
    if (isKnown && (known.body.value === turn.text || turn.text.length > LONGEST_KEPT)) return known.memoryId
    try {
      if (looked.blacklisted !== null) throw looked.blacklisted
      const { head, outcome } = put(this.#engine, this.#context, entry, looked)
      if (outcome !== 'same') this.changes.push(changeOf(this.#engine, head))
      return head.memoryId
    } catch (error) {
      this.#refuse(turn, turn.text, error, entry.key)
      return null
    }
  }

  /** What may not be written is refused by itself; anything else ends the whole. */
  #refuse(turn: Turn, said: string, error: unknown, key: string | undefined): void {
    if (!(error instanceof MemoryError) || (error.status >= 500 && !REFUSALS.has(error.code))) throw error
    this.step.refused.push({ message: turn.n, text: said.slice(0, 200), why: error.code })
    this.refusals.push({ outcome: error.code, ...(key === undefined ? {} : { key }) })
  }

  /** Heard again while it is believed, after this memory has told it: no evidence. What was forgotten or replaced meanwhile is news. */
  #isEcho({ statement, said }: FoundFact, sourceClass: SourceClass): boolean {
    const { store } = this.#engine
    if ([statement, said].some((text) => wasTold(this.#engine, this.#context, text))) return true
    const identities = store.book.visible(this.#context.scope).map(({ identity }) => identity)
    return (
      echoRefusal(this.#engine, this.#context, { sourceClass, value: statement }) !== null &&
      headsByForm(store.db, identities, canonicalForm(statement)).some(({ body }) => !isInRoom(body.key))
    )
  }

  /** What has ended ends only what it names: another value under the key stays. */
  #keyOf({ key }: Fields, fact: FoundFact | null): string | null {
    if (fact === null || fact.ended === null || key === undefined) return key ?? null
    const { thing } = fact.ended
    const live = headsHere(this.#engine, this.#context, key).find(holdsKey)
    const speaksOfIt = live !== undefined && keySegment(textOf(live.body.value)).includes(thing.split('-')[0] ?? thing)
    return speaksOfIt ? key : fact.ended.key
  }

  #commit(
    turn: Turn,
    said: string,
    input: Fields | undefined,
    write: PreparedWrite | undefined,
    source: { sourceTrace?: string },
    fact: FoundFact | null,
  ) {
    try {
      if (input === undefined || write === undefined) return null
      if (write.refused !== undefined) throw write.refused
      const sourceClass = isPerson(turn) ? 'extracted' : 'external'
      const fields = { ...write.fields, ...source, sourceClass } as PreparedWrite['fields'] & {
        readonly sourceClass: SourceClass
      }
      if (fact !== null && this.#isEcho(fact, fields.sourceClass)) {
        this.step.refused.push({ message: turn.n, text: said.slice(0, 200), why: 'echo' })
        return null
      }
      const key = this.#keyOf(input, fact)
      const live = key === null ? undefined : headsHere(this.#engine, this.#context, key).find(holdsKey)
      const dated = { ...fields, ...sinceWhen(turn, fact, fields, live?.body) }
      const committed = commitWrite(
        this.#engine,
        this.#context,
        { kind: 'set', key },
        { ...write, fields: dated },
        this.#options,
      )
      this.changes.push(...committed.changes)
      return committed.result
    } catch (error) {
      this.#refuse(turn, said, error, input?.key)
      return null
    }
  }
}

const holdsKey = ({ body }: Head): boolean => HOLDS_KEY.includes(body.status)
