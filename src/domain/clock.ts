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

/** Higher than the number of any version. */
export const EVERY_VERSION = 9_223_372_036_854_775_807n

/** The last version that was known at an instant has at most this number. */
export const lastVersionAt = (known: number): bigint => {
  const number = BigInt(Math.floor(known)) * NANOSECONDS + (NANOSECONDS - 1n)
  return number < EVERY_VERSION ? number : EVERY_VERSION
}

/** When a version was written, by the clock that only rises. */
export const writtenAt = (ver: bigint): number => Number(ver / NANOSECONDS)
