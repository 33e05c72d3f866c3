// The schemas whose types this layer imports use this one platform name. It is a pure function, so it may be known here;
// spelled as in the DOM library, with which it merges wherever both are loaded.
interface TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>
}
declare let TextEncoder: { prototype: TextEncoder; new (): TextEncoder }
