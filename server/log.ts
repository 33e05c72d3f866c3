const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const
export type Level = keyof typeof LEVELS

/** What a line may say: names, numbers and outcomes. Nothing that a client sent goes in, but for ids that the operator gave out. */
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>

export type Log = (level: Level, msg: string, fields?: Fields) => void

/** One JSON object to a line. */
export const openLog = (write: (line: string) => void, least: Level = 'info'): Log => {
  return (level, msg, fields = {}) => {
    if (LEVELS[level] < LEVELS[least]) return
    write(`${JSON.stringify({ level: LEVELS[level], time: Date.now(), msg, ...fields })}\n`)
  }
}

/** What is told of an error: its kind and code. Messages of databases quote values. */
export const toldOf = (error: unknown): Fields => {
  const { name, code } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { name: typeof error, code: undefined }
  return { error: name, code: typeof code === 'string' ? code : null }
}
