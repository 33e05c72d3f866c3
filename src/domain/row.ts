import type { Row, RowBody } from '../schema/row.js'
import { canonicalJson, contentSha256 } from './canonical.js'
import { bodyCommitment, chainSha256 } from './version.js'

/** Later than this no clock stands, and times after it would leave no room to count on. */
const LATEST = 2n ** 62n

/** Bytes of lower-case hexadecimal. */
export const unhex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))

/**
 * Why a row is not what its hashes say, or null. A memory's rows are asked about in their order, each with those before it. A parent that
 * is not among them, as after damage, leaves a gap in the chain; the row's own hash holds all the same.
 */
export const rowProblem = (row: Row, before: ReadonlyMap<string, Row>): string | null => {
  const ver = BigInt(row.ver)
  if (ver > LATEST) return 'is of a time that will never be'
  if (row.body !== null && row.redacted !== undefined) return 'was redacted and has its body'
  if (row.body !== null && row.salt === null) return 'has a body and no salt'
  if (row.body !== null && bodyCommitment(unhex(row.salt ?? ''), row.body) !== row.commitment)
    return 'has a body that is not the one it was committed to'
  const { id, kind, memory, scope, parents } = row
  const header = { rowId: id, ver, kind, memoryId: memory, scope, parents }
  if (chainSha256(row.prev, header, row.commitment) !== row.sha256) return 'does not have the hash it gives'
  if ((parents.length === 0) !== (row.prev === null)) return 'does not say what it was written on top of'
  for (const [i, parent] of parents.map((name) => before.get(name)).entries()) {
    if (parent === undefined) continue
    if (BigInt(parent.ver) >= ver) return 'is older than what it was written on top of'
    if (i === 0 && parent.sha256 !== row.prev) return 'does not follow what it was written on top of'
  }
  const [first] = before.values()
  if (before.has(id)) return 'is there twice'
  if (first !== undefined && canonicalJson(first.scope) !== canonicalJson(scope)) return 'has another scope than its memory'
  return null
}

/** Why a body that was read from a row is not one that a store writes, or null. */
export const bodyProblem = (text: string, body: RowBody): string | null => {
  if (canonicalJson(body) !== text) return 'is not in its canonical form'
  if ((body.status === 'tombstoned') !== (body.value === undefined)) return 'has a value where none belongs, or none'
  if (body.value !== undefined && contentSha256(body.value) !== body.contentSha256)
    return 'does not have the hash of its value'
  return null
}
