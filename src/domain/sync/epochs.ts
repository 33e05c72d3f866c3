import { keyOf, type SyncRow } from './sync-row.js'

/**
 * How far apart the epochs of two erasures of a namespace are. Erasures of keys count up between them, so that one number orders both and
 * an erasure of the namespace is above every erasure of a key that its author did not know of.
 */
const NAMESPACE_STEP = 2 ** 16

export interface Erased {
  readonly epoch: number
  /** Somebody erased it for good: no later epoch is written either. */
  readonly blocked: boolean
}

/** What has been erased, by key and by namespace. Outlives every row that it erased. */
export interface Epochs {
  readonly keys: ReadonlyMap<string, Erased>
  readonly namespaces: ReadonlyMap<string, Erased>
}

const NEVER: Erased = { epoch: 0, blocked: false }

const later = (a: Erased, b: Erased): Erased => ({ epoch: Math.max(a.epoch, b.epoch), blocked: a.blocked || b.blocked })

/** The erasures among rows, whatever else there is. */
export const epochsOf = (rows: Iterable<SyncRow>): Epochs => {
  const keys = new Map<string, Erased>()
  const namespaces = new Map<string, Erased>()
  for (const row of rows) {
    if (row.kind !== 'erase') continue
    const name = keyOf(row) ?? row.nc
    const map = row.kc === null ? namespaces : keys
    const erased = { epoch: row.kepoch, blocked: row.content?.of === 'erase' && row.content.block }
    map.set(name, later(map.get(name) ?? NEVER, erased))
  }
  return { keys, namespaces }
}

/** How far a key, or what stands under no key of a namespace, has been erased. */
export const erasedAt = (epochs: Epochs, place: Pick<SyncRow, 'nc' | 'kc'>): Erased => {
  const key = keyOf(place)
  const namespace = epochs.namespaces.get(place.nc) ?? NEVER
  return key === null ? namespace : later(namespace, epochs.keys.get(key) ?? NEVER)
}

/** Whether a row has to go: somebody erased what it says, whatever its clock. Erasures themselves stay for good. */
export const isErased = (row: SyncRow, epochs: Epochs): boolean => {
  if (row.kind === 'erase') return false
  const { epoch, blocked } = erasedAt(epochs, row)
  return blocked || row.kepoch < epoch
}

/**
 * The epoch that an erasure of a key begins. Two that do not know of each other begin the same.
 *
 * @param rows those that are held of the key: some may know of an erasure that has not come here yet
 */
export const nextKeyEpoch = (
  epochs: Epochs,
  place: Pick<SyncRow, 'nc' | 'kc'>,
  rows: readonly Pick<SyncRow, 'kepoch'>[],
): number => highestOf(erasedAt(epochs, place).epoch, rows) + 1

const highestOf = (least: number, rows: readonly Pick<SyncRow, 'kepoch'>[]): number =>
  rows.reduce((highest, { kepoch }) => Math.max(highest, kepoch), least)

/** The epoch that a redaction carries: an erasure that its author has not seen must not take it away and leave its target. */
export const redactionEpoch = (epochs: Epochs, target: Pick<SyncRow, 'nc' | 'kc' | 'kepoch'>): number =>
  Math.max(erasedAt(epochs, target).epoch, target.kepoch)

/** The epoch that an erasure of a whole namespace begins: above those of all its keys and rows. */
export const nextNamespaceEpoch = (epochs: Epochs, nc: string, rows: readonly Pick<SyncRow, 'kepoch'>[]): number => {
  let highest = highestOf(epochs.namespaces.get(nc)?.epoch ?? 0, rows)
  for (const [key, { epoch }] of epochs.keys) if (key.startsWith(`${nc} `)) highest = Math.max(highest, epoch)
  return (Math.floor(highest / NAMESPACE_STEP) + 1) * NAMESPACE_STEP
}
