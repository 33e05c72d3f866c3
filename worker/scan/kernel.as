// AssemblyScript, in base SIMD only. `npm run build:kernel` compiles it into kernel-bytes.ts, and a test holds the two together.
//
// Memory holds the query first: its components as 16-bit numbers, its signs, and nothing up to the next multiple of 64. Blocks of rows
// follow: the codes of all their rows, then the signs, then the scales. layout.ts computes the same places. `stride` is how many
// components a row takes: those of its vector, and zeros up to a multiple of 16.
//
// Rows are looked at four at a time. Where their number is no multiple of four, what lies behind the last one is looked at and dropped.

/** Tells of a row that may be near enough; answers how near a row has to be from now on. */
@external('rows', 'offer')
declare function offer(slot: i32): f32

/** Tells of a row by how many of its signs differ; answers how many may differ from now on. */
@external('rows', 'weigh')
declare function weigh(slot: i32, different: i32): i32

const ROWS: i32 = 2048

// @ts-ignore: decorator
@inline
function signBytes(stride: i32): i32 {
  return ((stride + 127) >> 7) << 4
}

// @ts-ignore: decorator
@inline
function blockBytes(stride: i32): i32 {
  return ROWS * (stride + signBytes(stride) + 4)
}

// @ts-ignore: decorator
@inline
function blockOf(stride: i32, slot: i32): usize {
  const first = (2 * stride + signBytes(stride) + 63) & ~63
  return <usize>first + <usize>(slot / ROWS) * <usize>blockBytes(stride)
}

/** The four sums of four lanes each. */
// @ts-ignore: decorator
@inline
function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7))
  return i32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3))
}

// @ts-ignore: decorator
@inline
function products(at: usize, query: usize): v128 {
  return i32x4.dot_i16x8_s(v128.load_ext<i8>(at), v128.load(query))
}

/** The number of bits that differ between four rows of signs and the query's. */
// @ts-ignore: decorator
@inline
function differences(row: usize, bytes: i32, query: usize): v128 {
  let r0 = row
  let r1 = r0 + bytes
  let r2 = r1 + bytes
  let r3 = r2 + bytes
  let s0 = i32x4.splat(0)
  let s1 = s0
  let s2 = s0
  let s3 = s0
  for (const end = r1; r0 < end; r0 += 16, r1 += 16, r2 += 16, r3 += 16, query += 16) {
    const own = v128.load(query)
    s0 = i16x8.add(s0, i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(v128.xor(v128.load(r0), own))))
    s1 = i16x8.add(s1, i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(v128.xor(v128.load(r1), own))))
    s2 = i16x8.add(s2, i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(v128.xor(v128.load(r2), own))))
    s3 = i16x8.add(s3, i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(v128.xor(v128.load(r3), own))))
  }
  return sums(
    i32x4.extadd_pairwise_i16x8_u(s0),
    i32x4.extadd_pairwise_i16x8_u(s1),
    i32x4.extadd_pairwise_i16x8_u(s2),
    i32x4.extadd_pairwise_i16x8_u(s3),
  )
}

/** How near a row is, in steps of the query. */
// @ts-ignore: decorator
@inline
function about(block: usize, stride: i32, place: i32): f32 {
  let sum = i32x4.splat(0)
  let query: usize = 0
  let at = block + place * stride
  for (const end = at + stride; at < end; at += 8, query += 16) sum = i32x4.add(sum, products(at, query))
  const total = i32x4.extract_lane(sums(sum, sum, sum, sum), 0)
  return <f32>total * load<f32>(block + ROWS * (stride + signBytes(stride)) + 4 * place)
}

/** Offers every row that is at least as near as `floor`, to which an answer of `offer` is the next value. */
export function scan(stride: i32, rows: i32, floor: f32): void {
  for (let first = 0; first < rows; first += ROWS) {
    const block = blockOf(stride, first)
    const scales = block + ROWS * (stride + signBytes(stride))
    const held = min(ROWS, rows - first)
    for (let place = 0; place < held; place += 4) {
      let query: usize = 0
      let r0 = block + place * stride
      let r1 = r0 + stride
      let r2 = r1 + stride
      let r3 = r2 + stride
      let s0 = i32x4.splat(0)
      let s1 = s0
      let s2 = s0
      let s3 = s0
      for (const end = r1; r0 < end; r0 += 16, r1 += 16, r2 += 16, r3 += 16, query += 32) {
        s0 = i32x4.add(s0, products(r0, query))
        s1 = i32x4.add(s1, products(r1, query))
        s2 = i32x4.add(s2, products(r2, query))
        s3 = i32x4.add(s3, products(r3, query))
        s0 = i32x4.add(s0, products(r0 + 8, query + 16))
        s1 = i32x4.add(s1, products(r1 + 8, query + 16))
        s2 = i32x4.add(s2, products(r2 + 8, query + 16))
        s3 = i32x4.add(s3, products(r3 + 8, query + 16))
      }
      const near = f32x4.mul(f32x4.convert_i32x4_s(sums(s0, s1, s2, s3)), v128.load(scales + 4 * place))
      for (let bits = i32x4.bitmask(f32x4.ge(near, f32x4.splat(floor))); bits !== 0; bits &= bits - 1) {
        const at = place + ctz(bits)
        if (at < held) floor = offer(first + at)
      }
    }
  }
}

/** The same among the rows of which at most so many signs differ. */
export function scanNear(stride: i32, rows: i32, most: i32, floor: f32): void {
  const bytes = signBytes(stride)
  for (let first = 0; first < rows; first += ROWS) {
    const block = blockOf(stride, first)
    const held = min(ROWS, rows - first)
    for (let place = 0; place < held; place += 4) {
      const different = differences(block + ROWS * stride + place * bytes, bytes, 2 * stride)
      for (let bits = i32x4.bitmask(i32x4.le_s(different, i32x4.splat(most))); bits !== 0; bits &= bits - 1) {
        const at = place + ctz(bits)
        if (at < held && about(block, stride, at) >= floor) floor = offer(first + at)
      }
    }
  }
}

/** Weighs every row of which at most so many signs differ; an answer of `weigh` is the next value of `most`. */
export function scanSigns(stride: i32, rows: i32, most: i32): void {
  const bytes = signBytes(stride)
  for (let first = 0; first < rows; first += ROWS) {
    const block = blockOf(stride, first)
    const held = min(ROWS, rows - first)
    for (let place = 0; place < held; place += 4) {
      const different = differences(block + ROWS * stride + place * bytes, bytes, 2 * stride)
      if (!v128.any_true(i32x4.le_s(different, i32x4.splat(most)))) continue
      if (i32x4.extract_lane(different, 0) <= most) most = weigh(first + place, i32x4.extract_lane(different, 0))
      if (i32x4.extract_lane(different, 1) <= most && place + 1 < held)
        most = weigh(first + place + 1, i32x4.extract_lane(different, 1))
      if (i32x4.extract_lane(different, 2) <= most && place + 2 < held)
        most = weigh(first + place + 2, i32x4.extract_lane(different, 2))
      if (i32x4.extract_lane(different, 3) <= most && place + 3 < held)
        most = weigh(first + place + 3, i32x4.extract_lane(different, 3))
    }
  }
}

/** Notes the signs of rows whose codes and scales have been written; answers the greatest length of their vectors. */
export function settle(stride: i32, first: i32, count: i32): f64 {
  let longest: f64 = 0
  for (let slot = first; slot < first + count; slot++) {
    const block = blockOf(stride, slot)
    const place = slot % ROWS
    const row = block + place * stride
    const signs = block + ROWS * stride + place * signBytes(stride)
    let squares: i64 = 0
    for (let at = 0; at < stride; at += 16) {
      const codes = v128.load(row + at)
      store<u16>(signs + (at >> 3), <u16>i8x16.bitmask(i8x16.gt_s(codes, i8x16.splat(0))))
      const low = i16x8.extend_low_i8x16_s(codes)
      const high = i16x8.extend_high_i8x16_s(codes)
      const sum = i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high))
      squares += i32x4.extract_lane(sums(sum, sum, sum, sum), 0)
    }
    const scale = <f64>load<f32>(block + ROWS * (stride + signBytes(stride)) + 4 * place)
    longest = max(longest, Math.sqrt(<f64>squares) * Math.abs(scale))
  }
  return longest
}
