import { expect, test } from 'vitest'
import { runningDigest } from '../../../src/domain/sync/row-digest.js'
import type { PullResponse, PushResponse, WireRow } from '../../../src/schema/sync-wire.js'
import { runTokens, type ServerProcess, startProcess } from '../support/process.js'
import { encryptedRows, hashOf, idOf, newDevice } from '../support/rows.js'

const KILLS = process.env.LONG === '1' ? 1_000 : 25
const WRITERS = 4
const ROWS_PER_PUSH = 60
/** Kills fall anywhere from before the first request is read to after the last one is answered. */
const LATEST_KILL_MS = 25

type Ask = (path: string, json: unknown) => Promise<unknown>

const askOf =
  (url: string, token: string): Ask =>
  async (path, json) => {
    const headers = { authorization: `Bearer ${token}`, 'palimpsest-protocol': '1' }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(json) })
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
    return await response.json()
  }

interface Writer {
  readonly dev: string
  readonly waiting: WireRow[]
  next: number
}

/** Servers are killed while they are pushed to; writers push again what was not acknowledged. */
export const runCrashContract = (name: string, database: () => string): void => {
  test(`on ${name}, ${KILLS} kills in the middle of pushes leave each row once, and where it was acknowledged`, async () => {
    const env = { DATABASE_URL: database() }
    const account = `crash-${newDevice()}`
    const { out } = await runTokens(env, 'mint', '--account', account)
    const token = out.split('\n')[1] ?? ''
    const writers = Array.from({ length: WRITERS }, (): Writer => ({ dev: newDevice(), waiting: [], next: 1 }))
    const written: WireRow[] = []
    const acknowledged = new Map<string, number>()
    let [cutOff, answered] = [0, 0]

    const pushOnce = async (ask: Ask, writer: Writer) => {
      const rows = writer.waiting.slice(0, ROWS_PER_PUSH)
      const { results } = (await ask('/v1/push', { dev: writer.dev, rows })) as PushResponse
      for (const [i, { status, seq }] of results.entries()) {
        const id = idOf(rows[i] as WireRow)
        expect(['ok', 'dup']).toContain(status)
        expect(acknowledged.get(id) ?? seq).toBe(seq)
        acknowledged.set(id, seq ?? 0)
      }
      writer.waiting.splice(0, rows.length)
      answered++
    }
    const writeMore = (writer: Writer) => {
      const rows = encryptedRows(2 * ROWS_PER_PUSH, 100, writer.dev, writer.next)
      writer.next += rows.length
      writer.waiting.push(...rows)
      written.push(...rows)
    }
    const pushAll = async (ask: Ask, writer: Writer) => {
      while (writer.waiting.length > 0) await pushOnce(ask, writer)
    }

    let server: ServerProcess = await startProcess(env)
    for (let kill = 0; kill < KILLS; kill++) {
      // Started while the other still runs, so that none is waited for.
      const next = startProcess(env)
      const ask = askOf(server.url, token)
      await next
      for (const writer of writers) writeMore(writer)
      const pushes = writers.map((writer) =>
        pushAll(ask, writer).catch((error) => {
          if (!(error instanceof TypeError)) throw error
          cutOff++
        }),
      )
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LATEST_KILL_MS))
      await server.end('SIGKILL')
      await Promise.all(pushes)
      server = await next
    }
    const ask = askOf(server.url, token)
    for (const writer of writers) await pushAll(ask, writer)

    const digest = runningDigest()
    const places = new Map<string, number>()
    let position = { cursor: 0, digest: digest.hex() }
    for (let more = true; more; ) {
      const page = (await ask('/v1/pull', { dev: newDevice(), epoch: null, ...position })) as PullResponse
      if ('rebase' in page) throw new Error(`asked to begin anew: ${page.rebase}`)
      for (const { seq, row } of page.rows) {
        expect(places.has(idOf(row))).toBe(false)
        places.set(idOf(row), seq)
        digest.add(hashOf(row))
      }
      expect(digest.hex()).toBe(page.cursorDigest)
      position = { cursor: page.cursor, digest: page.cursorDigest }
      more = page.more
    }
    await server.end('SIGTERM')
    expect([...places.values()]).toEqual(Array.from({ length: written.length }, (_, i) => i + 1))
    expect(places).toEqual(
      new Map(
        written.map((row) => [idOf(row), acknowledged.get(idOf(row))]).sort((a, b) => Number(a[1]) - Number(b[1])) as [
          string,
          number,
        ][],
      ),
    )
    // Both must have happened, or the kills fell beside the pushes.
    expect(Math.min(cutOff, answered)).toBeGreaterThan(KILLS / 5)
  })
}
