// @ts-check
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream'

/**
 * Answers with a file as it lies on the disk, in parts where a part is asked for, so that a download can go on where it broke off.
 *
 * @type {(
 *   path: string,
 *   request: import('node:http').IncomingMessage,
 *   response: import('node:http').ServerResponse,
 *   headers: Readonly<Record<string, string>>,
 * ) => Promise<boolean>} False, and nothing sent, when there is no such file.
 */
export const sendFile = async (path, request, response, headers) => {
  const entry = await stat(path).catch(() => null)
  if (!entry?.isFile()) return false
  const { size, mtimeMs } = entry
  // Two parts are of one file only if this is the same.
  const shared = { ...headers, etag: `"${size}-${Math.round(mtimeMs)}"`, 'accept-ranges': 'bytes' }
  const range = rangeOf(request.headers.range, size)
  if (range === null) {
    response.writeHead(416, { ...shared, 'content-range': `bytes */${size}` }).end()
    return true
  }
  const { start, end } = range
  const isPart = end - start + 1 < size
  response.writeHead(isPart ? 206 : 200, {
    ...shared,
    'content-length': end - start + 1,
    ...(isPart && { 'content-range': `bytes ${start}-${end}/${size}` }),
  })
  if (request.method === 'HEAD' || size === 0) response.end()
  // Who goes away in the middle has ended both streams: there is nothing left to say.
  else pipeline(createReadStream(path, { start, end }), response, () => undefined)
  return true
}

/**
 * First and last byte that are wanted. Null when the file ends before them. Anything but one plain range is answered with everything,
 * as HTTP allows.
 *
 * @type {(header: string | undefined, size: number) => { start: number, end: number } | null}
 */
const rangeOf = (header, size) => {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined) return { start: 0, end: size - 1 }
  const start = Number(first)
  const end = last ? Math.min(Number(last), size - 1) : size - 1
  return start <= end ? { start, end } : null
}

/**
 * The place on the disk behind the path of an address, or null. Paths are taken as they are, without decoding, and stay in the folder
 * of their prefix.
 *
 * @param {Readonly<Record<string, string>>} mounts File or folder by its path; folders end in a slash on both sides.
 * @param {string} path
 */
export const onDisk = (mounts, path) => {
  const prefix = Object.keys(mounts).find((one) => (one.endsWith('/') ? path.startsWith(one) : path === one))
  const place = prefix === undefined ? undefined : mounts[prefix]
  if (prefix === undefined || place === undefined) return null
  const file = resolve(join(place, path.slice(prefix.length)))
  return file === resolve(place) || file.startsWith(resolve(place) + sep) ? file : null
}
