import { epochsOf, erasedAt } from '../../../src/domain/sync/epochs.js'
import { rowIdParts } from '../../../src/domain/sync/sync-row.js'
import type { Core } from './core.js'
import type { ModelDevice } from './model-device.js'
import type { ModelRow } from './model-server.js'
import { referenceState } from './reference.js'
import type { World } from './scenario.js'

/** A value as text, whatever the order of its maps and whatever numbers it holds. */
export const asText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`
    return part instanceof Map ? [...part].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) : part
  })

/** What does not hold after a scenario; empty when all does. */
export const problemsOf = (core: Core, world: World): readonly string[] => {
  const { server, devices, settled, contagion } = world
  const problems: string[] = [...contagion]
  if (!settled) return [...problems, 'devices exchange for ever']
  const shared = (device: ModelDevice): readonly ModelRow[] =>
    device.rows().filter(({ id }) => device.kept.held.get(id)?.there === 'read')
  const [first] = devices as [ModelDevice]
  const state = asText(core.stateOf(shared(first)))
  for (const device of devices) {
    const { kept } = device
    if (asText(core.stateOf(shared(device))) !== state) problems.push(`${kept.dev} has another state`)
    if (!world.disturbed && kept.rebases > 0) problems.push(`${kept.dev} began anew for nothing`)
    if (kept.cursor.digest !== server.head().digest) problems.push(`${kept.dev} has another digest`)
  }
  const backwards = [...shared(first)].reverse()
  if (asText(core.stateOf(backwards)) !== state) problems.push('the order of rows changes the state')
  const expected = referenceState(shared(first))
  const found = core.stateOf(shared(first))
  for (const [key, wanted] of expected)
    if (asText(found.keys.get(key)) !== asText(wanted))
      problems.push(`${key} is ${asText(found.keys.get(key))}, which should be ${asText(wanted)}`)
  return [...problems, ...lossesIn(core, world, shared), ...remainsIn(world), ...returnedIn(world), ...restampsIn(world)]
}

/** Writes that somebody erased or redacted who had them, and that are still, or again, there. */
const returnedIn = ({ devices, removed }: World): string[] =>
  devices.flatMap((device) =>
    device
      .rows()
      .filter(({ tag, content }) => content !== null && removed.has(tag))
      .map(({ kind, id }) => `${device.kept.dev} has ${kind} ${id} back`),
  )

/** Writes that are gone although nobody erased them. */
const lossesIn = (
  core: Core,
  { devices, written }: World,
  shared: (device: ModelDevice) => readonly ModelRow[],
): string[] => {
  const back = heldBack(devices)
  const named = new Set([...written.values()].map(({ target }) => target))
  return devices.flatMap((device) => {
    const rows = shared(device)
    const epochs = epochsOf(rows)
    const { keys, namespaces } = core.stateOf(rows)
    const waiting = new Set([...keys.values(), ...namespaces.values()].flatMap((state) => state.waiting))
    const shown = new Map<number, ModelRow>()
    for (const row of rows)
      if (!waiting.has(row.id) && (row.content !== null || !shown.has(row.tag))) shown.set(row.tag, row)
    return [...written.values()].flatMap((row) => {
      const { epoch, blocked } = erasedAt(epochs, row)
      if (row.kind !== 'erase' && (blocked || row.kepoch < epoch)) return []
      if (back.has(row.tag)) return []
      const here = shown.get(row.tag)
      if (here === undefined) return [`${device.kept.dev} has lost ${row.kind} ${row.id}`]
      if (row.content !== null && here.content === null && !named.has(row.id) && !named.has(here.id))
        return [`${device.kept.dev} has lost the text of ${row.id}`]
      return []
    })
  })
}

/** Tags of writes that the server will not take, and of what stands on them. */
const heldBack = (devices: readonly ModelDevice[]): ReadonlySet<number> => {
  const tags = new Set<number>()
  for (const device of devices) {
    const ids = new Set(device.kept.quarantine)
    for (const row of [...device.rows()].sort((a, b) => (a.ver < b.ver ? -1 : 1)))
      if (row.poison || row.parents.some((id) => ids.has(id))) {
        ids.add(row.id)
        tags.add(row.tag)
      }
  }
  return tags
}

/** Text that should be gone. */
const remainsIn = ({ devices, server }: World): string[] =>
  [...devices.map((device) => [device.kept.dev, device.rows()] as const), ['the server', server.rows()] as const].flatMap(
    ([who, rows]) => {
      const epochs = epochsOf(rows)
      const redactions = rows.filter(({ kind }) => kind === 'redact')
      const isNamed = (row: ModelRow): boolean =>
        redactions.some(({ target, kc, kepoch }) => target === row.id && kc === row.kc && kepoch >= row.kepoch)
      return rows
        .filter((row) => row.content !== null && row.kind !== 'erase')
        .filter((row) => {
          const { epoch, blocked } = erasedAt(epochs, row)
          return blocked || row.kepoch < epoch || isNamed(row)
        })
        .map((row) => `${who} still has the text of ${row.kind} ${row.id}`)
    },
  )

/** Rows that count as taken and are not what was taken. Where two devices used one id, both of their rows were taken. */
const restampsIn = ({ devices, server }: World): string[] =>
  devices.flatMap((device) =>
    device
      .rows()
      .filter(({ id, hash }) => {
        const taken = server.accepted.get(id)
        return device.kept.held.get(id)?.everAccepted === true && taken?.has(hash) !== true
      })
      .map(({ id }) => `${device.kept.dev} has ${rowIdParts(id).dseq} of ${rowIdParts(id).dev} otherwise than it was taken`),
  )
