import * as z from 'zod/mini'
import { isWellFormed } from './scalars.js'
import { ScopePatch } from './scope.js'

/** Name of a store: one database per name and origin. */
export const StoreName = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(100),
    z.refine(isWellFormed, 'contains a lone surrogate'),
    z.regex(/^[\p{L}\p{N}._-]+$/u, 'may hold letters, digits and . _ - only'),
  )

export const Backend = z.enum(['opfs', 'idb', 'memory'])
export type Backend = z.infer<typeof Backend>

/** An embedder that the page brings. Without dims, its first answer tells them. */
const BroughtEmbedder = z.strictObject({
  id: z.string().check(z.minLength(1), z.maxLength(200)),
  dims: z.optional(z.int().check(z.gte(1), z.lte(4096))),
})

/** Options of opening that reach the worker. */
export const WorkerOptions = z.strictObject({
  name: StoreName,
  /** Where to start: `opfs` falls back to `idb`, then to `memory`, each time saying so. Default `opfs`. */
  backend: z._default(Backend, 'opfs'),
  /** False rejects with STORAGE_UNAVAILABLE instead of falling back. Default true. */
  fallback: z._default(z.boolean(), true),
  scope: z.optional(ScopePatch),
  /**
   * `static` is the built-in token table, `hash` needs no file, an id names one that the page brings; `auto` starts on the table and
   * moves up to `model`, when there is one. Default `static`.
   */
  embedder: z._default(z.union([z.enum(['auto', 'static', 'hash']), BroughtEmbedder]), 'static'),
  model: z.optional(BroughtEmbedder),
})
export type WorkerOptions = z.infer<typeof WorkerOptions>
