import { expect, test } from 'vitest'
import { lazyLink } from '../../src/client/lazy-link.js'
import type { WorkerLink } from '../../src/client/worker-link.js'

const counting = () => {
  const said: string[] = []
  let starts = 0
  let handles = 0
  const tellers = new Set<(event: never) => void>()
  const link = lazyLink((): WorkerLink => {
    starts++
    return {
      opened: Promise.resolve(),
      onLost: () => () => undefined,
      onEvent: (receive) => {
        tellers.add(receive as never)
        return () => void tellers.delete(receive as never)
      },
      call: async (name, _, handle) => void said.push(`${name} ${handle}`),
      openHandle: (parent, patch) => {
        said.push(`open ${parent} ${JSON.stringify(patch)}`)
        return ++handles
      },
      openLive: () => () => undefined,
      close: async () => void said.push('close'),
    }
  })
  return { link, said, tellers, starts: () => starts }
}

test('a worker is started with the first call, and knows by then what was said before', async () => {
  const { link, said, tellers, starts } = counting()
  const heard: unknown[] = []
  const stop = link.onEvent((event) => heard.push(event))
  const gone = link.onEvent(() => undefined)
  gone()
  expect([link.openHandle(0, { user: 'ada' }), link.openHandle(1, { session: 's' })]).toEqual([1, 2])
  expect(starts()).toBe(0)
  await link.call('memory.get', {}, 2)
  expect(said).toEqual(['open 0 {"user":"ada"}', 'open 1 {"session":"s"}', 'memory.get 2'])
  expect(link.openHandle(0, { user: 'bo' })).toBe(3)
  expect(tellers.size).toBe(1)
  stop()
  expect(tellers.size).toBe(0)
  await link.call('memory.get', {}, 3)
  await link.opened
  expect(starts()).toBe(1)
  await link.close()
  expect(said.at(-1)).toBe('close')
})

test('who only awaits starts it too, and who has closed it before does not', async () => {
  const awaited = counting()
  await awaited.link.opened
  expect(awaited.starts()).toBe(1)
  const closed = counting()
  await closed.link.close()
  await expect(closed.link.opened).rejects.toMatchObject({ code: 'CLOSED' })
  await expect(closed.link.call('memory.get', {}, 0)).rejects.toMatchObject({ code: 'CLOSED' })
  expect(closed.starts()).toBe(0)
})
