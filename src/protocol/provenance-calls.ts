import type {
  AuditFilter,
  AuditListResult,
  Evidence,
  Lineage,
  LineageOptions,
  Provenance,
  VerifyOptions,
  VerifyResult,
} from '../schema/provenance.js'
import type { Abortable } from './abortable.js'

/** Who did what when. */
export interface AuditCalls {
  /**
   * What was done and what was refused, newest first, a page at a time: hashes only, no value and no key. It has what handles did whose
   * scope this one may read, to memories that it may read.
   *
   * ```ts
   * const { rows } = await memory.audit.list({ action: 'memory.delete', limit: 20 })
   * ```
   */
  readonly list: (filter?: AuditFilter & Abortable) => Promise<AuditListResult>
}

/** Calls that say where a memory comes from, and how far it can be relied on. */
export interface ProvenanceCalls {
  /**
   * Attest what the memory under a key says now, as the actor of the handle. Another value makes the attestation stale. What a person
   * has attested is no longer held to come from a page or a tool.
   *
   * Rejects with NOT_FOUND when nothing lives there, and with PRECONDITION_FAILED when `ifMatchSha256` is not what it says.
   *
   * ```ts
   * await memory.scope({ actor: 'human:ada' }).verify('user/home/city', { ifMatchSha256: row.contentSha256 })
   * ```
   */
  readonly verify: (key: string, options?: VerifyOptions & Abortable) => Promise<VerifyResult>
  /**
   * How the memory under a key came here: who stated it, from which source, when, who attests it, and what all that makes it worth.
   * Null when nothing ever stood there.
   *
   * Rejects with AMBIGUOUS_KEY as `get`.
   *
   * ```ts
   * const from = await memory.provenance('user/home/city')
   * ```
   */
  readonly provenance: (key: string, options?: Abortable) => Promise<Provenance | null>
  /**
   * What the memory under a key came from and what came of it, as far as the handle may read: sources that `sourceResourceId` names by
   * their ids, what took whose place, what repeats what. Null when nothing ever stood there.
   *
   * Rejects with AMBIGUOUS_KEY as `get`.
   *
   * ```ts
   * const line = await memory.lineage('user/home/city')
   * ```
   */
  readonly lineage: (key: string, options?: LineageOptions & Abortable) => Promise<Lineage | null>
  /**
   * The turns behind a fact: memories of type `episodic` that its `sourceTrace` or `sourceResourceId` names, by id or by key. Empty when
   * there are none.
   *
   * ```ts
   * const turns = await memory.evidence('user/home/city')
   * ```
   */
  readonly evidence: (key: string, options?: Abortable) => Promise<Evidence>
  readonly audit: AuditCalls
}
