import type { TestServer } from './server.js'

/** A built file as a build of protocol version 9 would have it. */
export const otherVersion = async (server: TestServer, path: string): Promise<{ readonly body: string }> => {
  const text = await (await fetch(server.origin + path)).text()
  const body = text.replace(/protocol(:\s*|\s*!==\s*)1\b/g, 'protocol$19').replace(/expected(:\s*)1\b/g, 'expected$19')
  if (body === text) throw new Error(`${path} names no protocol version.`)
  return { body }
}
