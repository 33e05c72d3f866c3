/** A value that both engines take and give: whole numbers are bigints, so that no digit of a version is lost. */
export type SqlValue = string | bigint | number | Uint8Array | null | readonly (string | bigint | number | null)[]
export type SqlRow = Readonly<Record<string, unknown>>

/** One statement with `?` for its values. With `many`, it is carried out once for each list of values. */
export interface Statement {
  readonly sql: string
  readonly values?: readonly SqlValue[]
  readonly many?: readonly (readonly SqlValue[])[]
}

/**
 * Work on a database as a generator that yields statements and gets their rows. The embedded engine runs it in one go, with nothing
 * else in between; for PostgreSQL each statement is awaited. So both run the same code.
 */
export type Steps<T> = Generator<Statement, T, readonly SqlRow[]>

export function* all(sql: string, ...values: readonly SqlValue[]): Steps<readonly SqlRow[]> {
  return yield { sql, values }
}

export function* first(sql: string, ...values: readonly SqlValue[]): Steps<SqlRow | null> {
  const rows: readonly SqlRow[] = yield { sql, values }
  return rows[0] ?? null
}

export const DIALECTS = ['sqlite', 'postgres'] as const
export type Dialect = (typeof DIALECTS)[number]

export interface Db {
  readonly dialect: Dialect
  /** Reads. On PostgreSQL each statement sees what was committed before it. */
  readonly read: <T>(steps: () => Steps<T>) => Promise<T>
  /**
   * Writes of an account. The embedded engine makes one transaction of them. On PostgreSQL each statement is one of its own, so
   * that no lock is held while this process thinks; steps that lose a race are run again from the start.
   */
  readonly write: <T>(account: string, steps: () => Steps<T>) => Promise<T>
  /** Writes that are rare, in one transaction that begins by locking the account's row. */
  readonly locked: <T>(account: string, steps: () => Steps<T>) => Promise<T>
  readonly close: () => Promise<void>
}

/** Thrown by steps that found the account changed under them; they are run again. */
export class LostRace extends Error {}

// What the drivers give is known by the statement that asked for it.

export const int = (value: unknown): number => Number(value ?? 0)
export const text = (value: unknown): string => String(value)
export const textOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))
export const bytes = (value: unknown): Buffer => value as Buffer
export const bytesOrNull = (value: unknown): Buffer | null => (value ?? null) as Buffer | null
