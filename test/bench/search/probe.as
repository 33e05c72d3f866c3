// The floor under every scan: reads as many bytes and does nothing with them.

export function read(bytes: i32): i32 {
  let a = i32x4.splat(0)
  let b = a
  let c = a
  let d = a
  for (let at: usize = 0, end = <usize>bytes; at < end; at += 64) {
    a = v128.xor(a, v128.load(at))
    b = v128.xor(b, v128.load(at, 16))
    c = v128.xor(c, v128.load(at, 32))
    d = v128.xor(d, v128.load(at, 48))
  }
  return i32x4.extract_lane(v128.xor(v128.xor(a, b), v128.xor(c, d)), 0)
}
