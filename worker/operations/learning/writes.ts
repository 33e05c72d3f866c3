import { canonicalForm, textOf } from '../../../src/domain/canonical.js'
import type { FoundFact } from '../../../src/domain/extract/found.js'
import { keySegment } from '../../../src/domain/mint-key.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { ForgottenFact, LearnedFact, RefusedFact } from '../../../src/schema/learning.js'
import type { SourceClass } from '../../../src/schema/records.js'
import { headsByForm } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { echoRefusal, wasTold } from '../echo/served.js'
import { commitWrite } from '../memory/commit.js'
import { headsHere } from '../memory/lifecycle.js'
import { type Fields, type PreparedWrite, prepare } from '../memory/prepare.js'
import { type Change, type Recording, type Refused, recorded } from '../memory/recorded.js'
import { forgetNow } from './forget.js'
import type { ReadTurn } from './read.js'
import { evidenceOf, isPerson, type Turn } from './turns.js'

/** How sure what was read is. */
const CONFIDENCE = 0.6

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
  also: (step: Step) => void = () => undefined,
): Promise<Step> => {
  const inputs = read.map(({ turn, facts }) =>
    facts.length === 0
      ? []
      : [
          evidenceOf(
            turn,
            facts.map(({ said }) => said),
          ),
          ...facts.map((fact) => fieldsOf(turn, fact)),
        ],
  )
  const prepared = await prepare(engine, inputs.flat(), context)
  const step = recorded<Step>(engine, context, recording, () => {
    const writing = new Writing(engine, context, recording.dryRun)
    let at = 0
    read.forEach((one, i) => {
      const count = inputs[i]?.length ?? 0
      writing.turn(one, inputs[i] ?? [], prepared.slice(at, at + count))
      at += count
    })
    also(writing.step)
    return { result: writing.step, changes: writing.changes, refusals: writing.refusals }
  })
  await engine.store.db.durable()
  if (prepared.some(({ vectors, degraded }) => degraded.includes('unembedded') || !engine.ladder.covers(vectors)))
    engine.wakeIndexing()
  return step
}

/** What is written in one transaction. */
class Writing {
  readonly #engine: Engine
  readonly #context: CallContext
  readonly #options: { readonly ifMatchSha256: undefined; readonly dryRun: boolean; readonly onPinned: 'fail' }
  readonly changes: Change[] = []
  readonly refusals: Refused[] = []
  readonly step = {
    written: [] as LearnedFact[],
    refused: [] as RefusedFact[],
    moreRefused: 0,
    forgotten: [] as ForgottenFact[],
    evidence: [] as string[],
  }

  constructor(engine: Engine, context: CallContext, dryRun: boolean) {
    this.#engine = engine
    this.#context = context
    this.#options = { ifMatchSha256: undefined, dryRun, onPinned: 'fail' }
  }

  turn(
    { turn, facts, forget, refused, moreRefused }: ReadTurn,
    inputs: readonly Fields[],
    prepared: readonly PreparedWrite[],
  ): void {
    const { step } = this
    step.refused.push(...refused.map(({ text, why }) => ({ message: turn.n, text, why })))
    step.moreRefused += moreRefused
    const evidence = facts.length === 0 ? null : this.#commit(turn, turn.text, inputs[0], prepared[0], {}, null)
    if (evidence !== null) step.evidence.push(evidence.id)
    facts.forEach((fact, i) => {
      const source = evidence === null ? {} : { sourceTrace: evidence.id }
      const result = this.#commit(turn, fact.said, inputs[i + 1], prepared[i + 1], source, fact)
      if (result === null) return
      const { id, key, verdict, status } = result
      const { statement: value, kind, subject, date } = fact
      step.written.push({
        message: turn.n,
        id,
        key,
        value,
        kind,
        subject,
        verdict,
        status,
        evidence: evidence?.id ?? '',
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

  /** Heard again while it is believed, after this memory has told it: no evidence. What was forgotten or replaced meanwhile is news. */
  #isEcho({ statement, said }: FoundFact, sourceClass: SourceClass): boolean {
    const { store } = this.#engine
    if ([statement, said].some((text) => wasTold(this.#engine, this.#context, text))) return true
    const identities = store.book.visible(this.#context.scope).map(({ identity }) => identity)
    return (
      echoRefusal(this.#engine, this.#context, { sourceClass, value: statement }) !== null &&
      headsByForm(store.db, identities, canonicalForm(statement)).length > 0
    )
  }

  /** What has ended ends only what it names: another value under the key stays. */
  #keyOf({ key }: Fields, fact: FoundFact | null): string | null {
    if (fact === null || fact.ended === null || key === undefined) return key ?? null
    const { thing } = fact.ended
    const live = headsHere(this.#engine, this.#context, key).find(({ body }) => HOLDS_KEY.includes(body.status))
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
      const committed = commitWrite(
        this.#engine,
        this.#context,
        { kind: 'set', key: this.#keyOf(input, fact) },
        { ...write, fields },
        this.#options,
      )
      this.changes.push(...committed.changes)
      return committed.result
    } catch (error) {
      if (
        !(error instanceof MemoryError) ||
        (error.status >= 500 && error.code !== 'BLACKLIST_TIMEOUT' && error.code !== 'EMBEDDING_FAILED')
      )
        throw error
      this.step.refused.push({ message: turn.n, text: said.slice(0, 200), why: error.code })
      this.refusals.push({ outcome: error.code, ...(input?.key === undefined ? {} : { key: input.key }) })
      return null
    }
  }
}

const TYPES: Readonly<Record<string, string>> = {
  taste: 'preference',
  decision: 'decision',
  commitment: 'commitment',
  opinion: 'opinion',
}

const fieldsOf = (turn: Turn, { key, statement, kind, name, date, isSingle }: FoundFact): Fields => {
  const isUnresolved = date !== null && date.date === null
  // What holds from the day it names holds from then; all else from when it was said.
  const holdsFrom = isSingle && date?.date != null && turn.said !== null && date.date < turn.said ? date.date : turn.said
  return {
    key,
    value: statement,
    ...(TYPES[kind] === undefined ? {} : { type: TYPES[kind] }),
    tags: isUnresolved ? [kind, 'date-unresolved'] : [kind],
    entities: [name?.replace(/^my /u, '') ?? turn.speaker].filter((one): one is string => one !== null),
    confidence: CONFIDENCE,
    onEmbedFailure: 'queue',
    timeZone: turn.timeZone,
    ...(holdsFrom === null ? {} : { validAt: holdsFrom }),
    ...(date?.date == null ? {} : { temporalAnchor: date.date }),
  }
}
