import { test } from 'vitest'
import { launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { PACKAGE_MOUNTS, startServer } from '../support/server.js'
import { readSentences } from './search/sentences.js'
import { textAt } from './search/texts.js'

/*
 * npm run bench:busy. Reads while an archive of MEMORIES memories is taken in, in headless Chromium on OPFS: into an empty store, which is filled version for
 * version, and into one in use, where each is judged. Wall times of one machine.
 */

const MEMORIES = Number(process.env['SIZE'] ?? 100_000)
const BATCH = 2_000

const at = (times: readonly number[], share: number): string =>
  (times.toSorted((a, b) => a - b)[Math.floor(share * times.length)] ?? 0).toFixed(1)

test('reads during an import', { timeout: 3_600_000 }, async () => {
  const server = await startServer({ mounts: PACKAGE_MOUNTS })
  const browser = await launchBrowser()
  try {
    const sentences = readSentences()
    const page = await openPage(browser.context, server)
    page.setDefaultTimeout(0)
    await page.evaluate(async () => {
      globalThis.memory = await openMemory({ name: 'bench-source' })
    })
    for (let from = 0; from < MEMORIES; from += BATCH)
      await page.evaluate(
        async ([first, values]) => {
          await memory.bulkSet(values.map((value, i) => ({ key: `bench/${first + i}`, value })))
        },
        [from, Array.from({ length: BATCH }, (_, i) => textAt(sentences, from + i))] as const,
      )
    console.log(`| into | rows/s | reads | get p50 / p95 ms | search p50 / p95 ms |\n| --- | --- | --- | --- | --- |`)
    for (const into of ['an empty store', 'a store in use']) {
      const { gets, searches, ms } = await page.evaluate(
        async ([name, questions]) => {
          const archive = await memory.export()
          const target = await openMemory({ name: `bench-${name.replaceAll(' ', '-')}` })
          const isUsed = name === 'a store in use'
          if (isUsed) await target.set({ key: 'roof', value: 'The roof of the boathouse leaks.' })
          const [gets, searches]: [number[], number[]] = [[], []]
          let isDone = false
          const begun = performance.now()
          const importing = target.import(archive).finally(() => {
            isDone = true
          })
          for (let i = 0; !isDone; i++) {
            const start = performance.now()
            await target.get(`bench/${i % 1_000}`)
            const got = performance.now()
            await target.search(questions[i % questions.length] ?? '')
            gets.push(got - start)
            searches.push(performance.now() - got)
            await new Promise((resume) => setTimeout(resume, 20))
          }
          await importing
          const ms = performance.now() - begun
          await target.close()
          return { gets, searches, ms }
        },
        [into, sentences.asked] as const,
      )
      console.log(
        `| ${into} | ${Math.round((1_000 * MEMORIES) / ms)} | ${gets.length} | ${at(gets, 0.5)} / ${at(gets, 0.95)} | ${at(searches, 0.5)} / ${at(searches, 0.95)} |`,
      )
    }
  } finally {
    await browser.close()
    await server.close()
  }
})
