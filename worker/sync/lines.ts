/** Longer than any line that is of use; what sends more is no server of ours. */
const LONGEST_LINE = 65_536

/** Lines of JSON, as they come; what is no JSON is left out, and so are the empty lines that keep a connection open. */
export async function* linesOf(response: Response): AsyncGenerator<unknown> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  try {
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > LONGEST_LINE) return
      for (const line of lines) {
        const value = parsed(line)
        if (value !== undefined) yield value
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
