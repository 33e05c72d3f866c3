import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TEACHER_DIMS, type Teacher } from './teacher.js'

/** Texts of a shard: what a killed run loses at most. */
const SHARD = 4096

/** Where vectors are kept between runs, and the hash that says whose they are. */
export interface Cache {
  readonly folder: string
  readonly teacherHash: string
}

/** Told after each shard; `fresh` is false when the folder had it. */
export type OnShard = (done: number, fresh: boolean) => void

/**
 * The teacher's vectors of a list of texts, shard by shard: from the folder, or computed and put there. A shard is named by the
 * hash of the teacher and of its texts, so that a changed text never meets an old vector.
 */
export const textVectors = async (
  teacher: Teacher,
  cache: Cache,
  texts: readonly string[],
  onShard: OnShard,
): Promise<Int16Array> => {
  const all = new Int16Array(texts.length * TEACHER_DIMS)
  for (let from = 0; from < texts.length; from += SHARD) {
    const shard = texts.slice(from, from + SHARD)
    const { vectors, fresh } = await remembered(cache, shard, () => teacher.encode(shard))
    all.set(vectors, from * TEACHER_DIMS)
    onShard(from + shard.length, fresh)
  }
  return all
}

/** The teacher's vector of every piece of its vocabulary, as if it were a sentence. */
export const pieceVectors = async (teacher: Teacher, cache: Cache, onShard: OnShard): Promise<Int16Array> => {
  const count = teacher.vocabulary.length
  const all = new Int16Array(count * TEACHER_DIMS)
  for (let from = 0; from < count; from += SHARD) {
    const ids = Array.from({ length: Math.min(SHARD, count - from) }, (_, at) => [from + at])
    const { vectors, fresh } = await remembered(cache, ids, () => teacher.encodeIds(ids))
    all.set(vectors, from * TEACHER_DIMS)
    onShard(from + ids.length, fresh)
  }
  return all
}

export const hashOf = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex').slice(0, 32)

const remembered = async (
  { folder, teacherHash }: Cache,
  input: unknown,
  compute: () => Promise<Int16Array>,
): Promise<{ vectors: Int16Array; fresh: boolean }> => {
  const file = join(folder, `${hashOf(JSON.stringify([teacherHash, input]))}.i16`)
  if (existsSync(file)) {
    const bytes = readFileSync(file)
    return { vectors: new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2), fresh: false }
  }
  const vectors = await compute()
  mkdirSync(folder, { recursive: true })
  // Under another name first: a file that has its name is whole.
  writeFileSync(`${file}.part`, new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength))
  renameSync(`${file}.part`, file)
  return { vectors, fresh: true }
}
