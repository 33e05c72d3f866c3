/** Whether it is an address, or can be read as one from this page. */
export const isAddress = (url: unknown): boolean => {
  if (typeof url !== 'string' && !(url instanceof URL)) return false
  try {
    // A page's address is no base everywhere: outside of a page any will do, since only the form is looked at.
    return new URL(url, globalThis.location?.href ?? 'http://localhost') instanceof URL
  } catch {
    return false
  }
}
