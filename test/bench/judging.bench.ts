import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import type { Language } from '../../worker/operations/language.js'
import { createTestMemory, type TestMemory } from '../support/engine.js'
import { testLanguage } from '../support/lexicon.js'
import { sentence } from './corpus.js'

/*
 * Part of npm run bench:verdicts. Whether judging meets the earlier statement when the later one arrives, in conversations that
 * PALIMPSEST_DATA has, and what a judged write costs at several sizes. All in Node, with the default embedder and SQLite in memory.
 */

const DATA = process.env['PALIMPSEST_DATA']
const SIZES = process.env['SIZES']?.split(',').map(Number) ?? [1_000, 10_000, 100_000]
const TABLE = readFileSync(new URL('../../model/static-256.bin', import.meta.url))

/** Peers that an answer names at the most. */
const NAMED = 5
/** Rows a call. */
const BULK = 2_000
/** Writes that the machine warms up with, and writes that are measured. */
const WARM_UP = 300
const SINGLES = 500

interface Chat {
  readonly messages: readonly { readonly id: number; readonly text: string }[]
  readonly questions: {
    readonly knowledge_update: readonly {
      readonly source_chat_ids: { readonly original_info: readonly number[]; readonly updated_info: readonly number[] }
    }[]
  }
}

const chats = (): readonly Chat[] => {
  if (DATA === undefined) throw new Error('Set PALIMPSEST_DATA to the folder with the conversations.')
  return JSON.parse(readFileSync(join(DATA, 'beam-user-tune.json'), 'utf8')) as readonly Chat[]
}

const openMemory = async (language?: Language): Promise<TestMemory> => {
  const embedder = createStaticEmbedder({ url: 'static-256.bin', fetch: async () => new Response(TABLE) })
  return createTestMemory({ embedder, ...(language && { language }) })
}

/** Of one update: at which place among the peers of the later message an earlier one stands, or null. */
const placesOf = async ({ messages, questions }: Chat): Promise<readonly (number | null)[]> => {
  const texts = new Map(messages.map(({ id, text }) => [id, text]))
  const updates = questions.knowledge_update.flatMap(({ source_chat_ids: { original_info, updated_info } }) => {
    const later = updated_info.at(-1) ?? -1
    const earlier = original_info.flatMap((id) => (id < later ? (texts.get(id) ?? []) : []))
    return texts.has(later) && earlier.length > 0 ? [{ later, earlier }] : []
  })
  const language = await testLanguage()
  let asked: string[] = []
  const memory = await openMemory({
    relate: (earlier, later) => {
      asked.push(earlier)
      return language.relate(earlier, later)
    },
  })
  const places: (number | null)[] = []
  for (const { id, text } of messages) {
    asked = []
    await memory.call('memory.set', { key: `message/${id}`, value: text })
    for (const { earlier } of updates.filter(({ later }) => later === id)) {
      const place = asked.findIndex((one) => earlier.includes(one))
      places.push(place < 0 ? null : place)
    }
  }
  return places
}

test('peers found', async () => {
  const places: (number | null)[] = []
  for (const chat of chats()) places.push(...(await placesOf(chat)))
  const within = (most: number): number => places.filter((place) => place !== null && place < most).length
  console.log(
    [
      'updates | the earlier statement is the first peer | among five | among all that are weighed',
      [places.length, within(1), within(NAMED), within(Number.POSITIVE_INFINITY)].join(' | '),
    ].join('\n'),
  )
})

/** Writes a second, each judged, of a warm machine. */
const writesPerSecond = async (memory: TestMemory, name: string, textOf: (n: number) => string): Promise<number> => {
  const write = async (n: number): Promise<unknown> => memory.call('memory.set', { key: `${name}/${n}`, value: textOf(n) })
  for (let n = 0; n < WARM_UP; n++) await write(n)
  const begun = performance.now()
  for (let n = WARM_UP; n < WARM_UP + SINGLES; n++) await write(n)
  return (1000 * SINGLES) / (performance.now() - begun)
}

test('throughput', async () => {
  const memory = await openMemory()
  const table = ['memories | statements judged and written a second | longer texts']
  let held = 0
  for (const size of SIZES) {
    await memory.call('namespaces.register', { defaultConflictPolicy: 'append_only' })
    for (; held < size; held += BULK) {
      const entries = Array.from({ length: Math.min(BULK, size - held) }, (_, i) => ({
        key: `bench/${held + i}`,
        value: sentence(held + i),
      }))
      await memory.call('memory.bulkSet', { entries })
    }
    await memory.call('namespaces.register', { defaultConflictPolicy: 'auto_reinforce' })
    // Numbers that no other sentence has.
    const from = 1_000_000 + 10_000 * SIZES.indexOf(size)
    const statements = await writesPerSecond(memory, `short-${size}`, (n) => sentence(from + n))
    const longer = await writesPerSecond(memory, `long-${size}`, (n) => longText(from + 1_000 * n))
    table.push([size, statements.toFixed(0), longer.toFixed(0)].join(' | '))
  }
  console.log(table.join('\n'))
})

/** Some paragraphs: what is no longer one statement. */
const longText = (from: number): string => Array.from({ length: 24 }, (_, i) => sentence(from + i)).join(' ')
