import { describe, test } from 'vitest'
import { memoryContract } from '../contracts/memory.contract.js'
import { openLinkedMemory } from '../support/linked-memory.js'

describe('the library in one thread', () => {
  for (const { name, run } of memoryContract)
    test(name, async () => {
      const memory = await openLinkedMemory()
      await run(memory)
      await memory.close()
    })
})
