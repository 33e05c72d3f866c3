/**
 * Imports a module of the library that the worker's own script leaves out, since few openings need it. The comments keep bundlers from
 * looking for it.
 */
export const importModule = async (url: string): Promise<unknown> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ url)
