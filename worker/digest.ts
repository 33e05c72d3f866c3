/** SHA-256 in hexadecimal. Null on pages without a secure context, which have no digest. */
export const digestHex = async (bytes: ArrayBuffer): Promise<string | null> => {
  if (crypto.subtle === undefined) return null
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
