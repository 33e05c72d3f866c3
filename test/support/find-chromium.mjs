// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

// JavaScript, since the test run needs it before anything is installed or built.

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** Some systems put a stub of this name in place that only says how to install the browser. */
const runs = (/** @type {string} */ file) =>
  existsSync(file) && spawnSync(file, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0

const onPath = () => {
  const folders = new Set(['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)])
  return NAMES.flatMap((name) => [...folders].map((folder) => join(folder, name)))
}

const downloaded = async () => {
  const { chromium } = await import('playwright-core')
  return chromium.executablePath()
}

/** @type {Promise<string | null> | undefined} */
let search

/**
 * Path of a Chromium that starts: the one CHROMIUM_BIN names, an installed one, or one that Playwright downloaded. Sought once
 * per process, unless nothing was found.
 *
 * @returns {Promise<string | null>}
 */
export const findChromium = async () => {
  search ??= lookEverywhere()
  const found = await search
  if (found === null) search = undefined
  return found
}

const lookEverywhere = async () => {
  const wanted = process.env.CHROMIUM_BIN
  if (!wanted) return [...onPath(), await downloaded()].find(runs) ?? null
  if (!existsSync(wanted)) throw new Error(`CHROMIUM_BIN names ${wanted}, which is not there.`)
  return wanted
}
