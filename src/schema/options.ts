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

/** Options of opening that reach the worker. */
export const WorkerOptions = z.strictObject({
  name: StoreName,
  /** Where to start: `opfs` falls back to `idb`, then to `memory`, each time saying so. Default `opfs`. */
  backend: z._default(Backend, 'opfs'),
  /** False rejects with STORAGE_UNAVAILABLE instead of falling back. Default true. */
  fallback: z._default(z.boolean(), true),
  scope: z.optional(ScopePatch),
  /** `static` is the built-in token table, `hash` needs no file, `page` is answered by the page. Default `static`. */
  embedder: z._default(
    z.union([
      z.enum(['static', 'hash']),
      z.strictObject({
        id: z.string().check(z.minLength(1), z.maxLength(200)),
        dims: z.int().check(z.gte(1), z.lte(4096)),
      }),
    ]),
    'static',
  ),
})
export type WorkerOptions = z.infer<typeof WorkerOptions>
