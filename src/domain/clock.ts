const NANOSECONDS = 1_000_000n

/**
 * The version of the next row: an ordinary nanosecond time that only rises, on this device and along the memory's parents,
 * also when the wall clock is set back.
 *
 * @param nowMs wall clock, epoch milliseconds
 * @param last highest version this device has given
 * @param parents versions the row is written on top of
 */
export const nextVersion = (nowMs: number, last: bigint, parents: readonly bigint[]): bigint => {
  let version = BigInt(Math.trunc(nowMs)) * NANOSECONDS
  for (const floor of [last, ...parents]) if (version <= floor) version = floor + 1n
  return version
}
