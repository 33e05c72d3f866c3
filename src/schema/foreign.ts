import * as z from 'zod/mini'
import { Text } from './scalars.js'

const optionalText = z.optional(z.nullable(z.string()))

/** One memory as mem0 gives it, in its own field names. What else stands there is left aside. */
export const Mem0Memory = z.looseObject({
  memory: Text,
  id: z.optional(z.nullable(z.union([z.string(), z.number()]))),
  user_id: optionalText,
  agent_id: optionalText,
  run_id: optionalText,
  categories: z.optional(z.nullable(z.array(z.string()))),
  created_at: optionalText,
  updated_at: optionalText,
})
export type Mem0Memory = z.infer<typeof Mem0Memory>

/** An entity in the file of the MCP reference memory server. */
export const McpEntity = z.looseObject({
  type: z.optional(z.literal('entity')),
  name: Text.check(z.minLength(1)),
  entityType: Text.check(z.minLength(1)),
  observations: z.array(Text.check(z.minLength(1))),
})
export type McpEntity = z.infer<typeof McpEntity>

/** A relation there. */
export const McpRelation = z.looseObject({
  type: z.optional(z.literal('relation')),
  from: Text.check(z.minLength(1)),
  to: Text.check(z.minLength(1)),
  relationType: Text.check(z.minLength(1)),
})
export type McpRelation = z.infer<typeof McpRelation>
