// AssemblyScript, in base SIMD only. `npm run build:kernel` compiles it into kernel-bytes.ts, and a test holds the two together.
//
// Memory holds the query first: its components as 16-bit numbers, the table of its sketch, room for 64 bytes, and nothing up to the next
// multiple of 64. Blocks of rows follow: the codes of all their rows, then the sketches, then the scales. simd-rows.ts computes the same
// places. `stride` is how many components a row takes: those of its vector, and zeros up to a multiple of 16.
//
// A sketch is one bit per component: whether it is above zero. Four bits of a row choose one of sixteen sums of the query's components,
// and these are looked up for sixteen rows in one instruction (after André, Kermarrec and Le Scouarnec, "Cache locality is not enough",
// VLDB 2015): so the bits of 32 rows lie together, those of row r and r + 16 in one byte.
//
// Rows are looked at four or 32 at a time; what lies behind the last one is looked at as well, and dropped.

/** Tells of a row that may be near enough; answers how near a row has to be from now on. */
@external('rows', 'offer')
declare function offer(slot: i32): f32

/** Tells of a row by its sketch; answers what a sketch has to reach from now on. */
@external('rows', 'weigh')
declare function weigh(slot: i32, sketch: i32): i32

const ROWS: i32 = 2048

function blockOf(stride: i32, slot: i32): usize {
  const first = (6 * stride + 127) & ~63
  return <usize>first + <usize>(slot / ROWS) * <usize>(ROWS * (stride + (stride >> 3) + 4))
}

@inline
function scalesOf(block: usize, stride: i32): usize {
  return block + ROWS * (stride + (stride >> 3))
}

/** The four sums of four lanes each. */
@inline
function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7))
  return i32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3))
}

@inline
function products(at: usize, query: usize): v128 {
  return i32x4.dot_i16x8_s(v128.load_ext<i8>(at), v128.load(query))
}

/** How near a row is, in steps of the query. */
export function aboutRow(stride: i32, slot: i32): f32 {
  const block = blockOf(stride, slot)
  const place = slot % ROWS
  let sum = i32x4.splat(0)
  let query: usize = 0
  let at = block + place * stride
  for (const end = at + stride; at < end; at += 8, query += 16) sum = i32x4.add(sum, products(at, query))
  const total = i32x4.extract_lane(sums(sum, sum, sum, sum), 0)
  return <f32>total * load<f32>(scalesOf(block, stride) + 4 * place)
}

/**
 * Offers every row that is at least as near as `floor`, to which an answer of `offer` is the next value. Touches the next four rows while
 * it compares four, which memory answers sooner than when they are asked for; what it answers keeps that from being optimized away.
 */
export function scan(stride: i32, rows: i32, floor: f32): i32 {
  let touched = i32x4.splat(0)
  for (let first = 0; first < rows; first += ROWS) {
    const block = blockOf(stride, first)
    const scales = scalesOf(block, stride)
    const held = min(ROWS, rows - first)
    for (let place = 0; place < held; place += 4) {
      let query: usize = 0
      let r0 = block + place * stride
      let r1 = r0 + stride
      let r2 = r1 + stride
      let r3 = r2 + stride
      let next = r3 + stride
      let s0 = i32x4.splat(0)
      let s1 = s0
      let s2 = s0
      let s3 = s0
      for (const end = r1; r0 < end; r0 += 16, r1 += 16, r2 += 16, r3 += 16, query += 32, next += 64) {
        touched = v128.xor(touched, v128.load(next))
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
  return i32x4.extract_lane(touched, 0)
}

/** Looks up two groups of four bits of sixteen rows; a sum of two has room in eight bits. */
@inline
function lookedUp(table: usize, first: v128, second: v128): v128 {
  return i8x16.add(i8x16.swizzle(v128.load(table), first), i8x16.swizzle(v128.load(table, 16), second))
}

/** A bit for each of sixteen rows: whether its sketch reaches what is asked. */
@inline
function reaching(even: v128, odd: v128, least: v128): i32 {
  return i8x16.bitmask(v128.bitselect(i16x8.ge_u(odd, least), i16x8.ge_u(even, least), i16x8.splat(-256)))
}

/**
 * Computes the sketches of 32 rows: a bit for each that is at least `least`, and in the room for them the numbers themselves, those of
 * rows with even and with odd numbers apart.
 */
function sketches(stride: i32, first: i32, least: i32): i32 {
  let at = blockOf(stride, first) + ROWS * stride + (first % ROWS) * (stride >> 3)
  let even = i16x8.splat(0)
  let odd = even
  let laterEven = even
  let laterOdd = even
  const nibble = i8x16.splat(15)
  let table: usize = 2 * stride
  for (const end = at + 4 * stride; at < end; at += 32, table += 32) {
    const one = v128.load(at)
    const other = v128.load(at, 16)
    const low = lookedUp(table, v128.and(one, nibble), v128.and(other, nibble))
    const high = lookedUp(table, i8x16.shr_u(one, 4), i8x16.shr_u(other, 4))
    // Adds up both bytes of each lane at once; what the upper ones put into the sum is taken off at the end.
    even = i16x8.add(even, low)
    odd = i16x8.add(odd, i16x8.shr_u(low, 8))
    laterEven = i16x8.add(laterEven, high)
    laterOdd = i16x8.add(laterOdd, i16x8.shr_u(high, 8))
  }
  even = i16x8.sub(even, i16x8.shl(odd, 8))
  laterEven = i16x8.sub(laterEven, i16x8.shl(laterOdd, 8))
  const room: usize = 6 * stride
  v128.store(room, even)
  v128.store(room, odd, 16)
  v128.store(room, laterEven, 32)
  v128.store(room, laterOdd, 48)
  const enough = i16x8.splat(<i16>least)
  return reaching(even, odd, enough) | (reaching(laterEven, laterOdd, enough) << 16)
}

/** The same as `scan` among the rows whose sketch is at least `least`. */
export function scanNear(stride: i32, rows: i32, least: i32, floor: f32): void {
  for (let first = 0; first < rows; first += 32)
    for (let bits = sketches(stride, first, least); bits !== 0; bits &= bits - 1) {
      const slot = first + ctz(bits)
      if (slot < rows && aboutRow(stride, slot) >= floor) floor = offer(slot)
    }
}

/** Weighs every row whose sketch is at least `least`, to which an answer of `weigh` is the next value. */
export function scanSketches(stride: i32, rows: i32, least: i32): void {
  for (let first = 0; first < rows; first += 32)
    for (let bits = sketches(stride, first, least); bits !== 0; bits &= bits - 1) {
      const at = ctz(bits)
      const sketch = <i32>load<u16>(6 * stride + ((at & 16) << 1) + ((at & 1) << 4) + (at & 14))
      if (first + at < rows && sketch >= least) least = weigh(first + at, sketch)
    }
}

/** Sketches rows whose codes and scales have been written; answers the greatest length of their vectors. */
export function settle(stride: i32, first: i32, count: i32): f64 {
  let longest: f64 = 0
  for (let slot = first; slot < first + count; slot++) {
    const block = blockOf(stride, slot)
    const place = slot % ROWS
    const row = block + place * stride
    const turn = place & 16 ? 4 : 0
    let sketch = block + ROWS * stride + (place & ~31) * (stride >> 3) + (place & 15)
    let squares = i32x4.splat(0)
    for (let at = 0; at < stride; at += 16) {
      const codes = v128.load(row + at)
      let bits = i8x16.bitmask(i8x16.gt_s(codes, i8x16.splat(0)))
      for (let group = 0; group < 4; group++, bits >>= 4, sketch += 16)
        store<u8>(sketch, <u8>((<i32>load<u8>(sketch) & (0xf0 >> turn)) | ((bits & 15) << turn)))
      const low = i16x8.extend_low_i8x16_s(codes)
      const high = i16x8.extend_high_i8x16_s(codes)
      squares = i32x4.add(squares, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)))
    }
    const square = <f64>i32x4.extract_lane(sums(squares, squares, squares, squares), 0)
    longest = max(longest, Math.sqrt(square) * Math.abs(load<f32>(scalesOf(block, stride) + 4 * place)))
  }
  return longest
}
