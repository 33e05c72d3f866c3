import { serveFrom, type TransformersLibrary } from '../../src/transformers/serve.js'

/** Loads the library from the address that the page was given. The comments keep bundlers from looking for it at build time. */
serveFrom(async (url) => {
  if (url === null) throw new Error('No address of the library was given')
  try {
    return (await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ url
    )) as TransformersLibrary
  } catch (error) {
    throw new Error(`${url} could not be imported as a module: ${error instanceof Error ? error.message : error}`)
  }
})
