import { resolve } from '../../../src/domain/scope.js'
import type { ToldResult } from '../../../src/schema/packing.js'
import type { CallContext, Engine } from '../context.js'
import { noteServed, noteTold } from '../echo/served.js'
import { requireWritable } from '../memory/set.js'

interface ToldInput {
  readonly texts: readonly string[]
  readonly stored: boolean
}

/** Notes what an app has put before a model itself. Saying so twice changes nothing. */
export const told = async (engine: Engine, context: CallContext, { texts, stored }: ToldInput): Promise<ToldResult> => {
  requireWritable(engine, context, { action: 'context.told', idempotencyKey: undefined, dryRun: false })
  const noted = await (stored ? noteServed : noteTold)(engine, context, texts)
  return { noted, scope: resolve(context.scope) }
}
