import type { MemoryRow } from '../schema/records.js'

/** Turns that facts were learned from, and rows of the stores beside the memories: found, listed and quoted by other means. */
export const isFact = ({ key, type }: Pick<MemoryRow, 'key' | 'type'>): boolean =>
  !key.startsWith('~') && type !== 'episodic'
