import { createGraph, type Graph, TO_FLOAT } from './onnx.js'
import type { Tensor } from './safetensors.js'

/** Sizes of all-MiniLM-L6-v2. */
const HIDDEN = 384
const HEADS = 12
const HEAD = HIDDEN / HEADS
const LAYERS = 6
const POSITIONS = 512
const NORM_EPSILON = 1e-12

/** Names of constants that several operators use. */
const ONE = 'c1'
const HALF = 'half'
const SQRT_2 = 'sq2'
const HEADS_SHAPE = 'shp4'
const HIDDEN_SHAPE = 'shp3'
const THIRDS = 'spl'

/**
 * A BERT encoder of MiniLM's size as an ONNX file with 8-bit weights: token ids in, `last_hidden_state` out.
 *
 * Weights of linear layers are symmetric per output column and meet activations that the runtime quantises as they come; word
 * embeddings are symmetric per row; everything else stays in 32 bits. Query, key and value of a layer are one multiplication,
 * and the scaling of attention is part of its weights.
 */
export const bertInt8 = (weights: ReadonlyMap<string, Tensor>): Uint8Array => {
  const graph = createGraph('st2onnx')
  const dataOf = (name: string): Float32Array => {
    const found = weights.get(name)
    if (found === undefined) throw new Error(`The weights have no tensor ${name}.`)
    return found.data
  }
  const linear = createLinear(graph)

  const norm = (value: string, prefix: string): string => {
    const weight = graph.constant(`${prefix}.w`, [HIDDEN], dataOf(`${prefix}.weight`))
    const bias = graph.constant(`${prefix}.b`, [HIDDEN], dataOf(`${prefix}.bias`))
    const attributes = { axis: { int: -1 }, epsilon: { float: NORM_EPSILON } }
    return one(graph.op('LayerNormalization', [value, weight, bias], { attributes }))
  }

  const embedded = embeddings(graph, dataOf)
  let state = norm(embedded, 'embeddings.LayerNorm')
  const mask = attentionMask(graph)
  addShapes(graph)
  for (let layer = 0; layer < LAYERS; layer++) {
    const prefix = `encoder.layer.${layer}.`
    const { weight, bias } = mergedAttention(dataOf, `${prefix}attention.self.`)
    const merged = linear(state, `l${layer}.qkv`, weight, bias)
    const context = attention(graph, merged, mask)
    const layerNamed = (name: string, rows: number, columns: number) => ({
      weight: transposed(dataOf(`${prefix}${name}.weight`), columns, rows),
      bias: dataOf(`${prefix}${name}.bias`),
    })
    const output = layerNamed('attention.output.dense', HIDDEN, HIDDEN)
    const attended = linear(context, `l${layer}.o`, output.weight, output.bias)
    state = norm(one(graph.op('Add', [attended, state])), `${prefix}attention.output.LayerNorm`)
    const widen = layerNamed('intermediate.dense', HIDDEN, 4 * HIDDEN)
    const wide = gelu(graph, linear(state, `l${layer}.f1`, widen.weight, widen.bias))
    const narrow = layerNamed('output.dense', 4 * HIDDEN, HIDDEN)
    const fed = linear(wide, `l${layer}.f2`, narrow.weight, narrow.bias)
    state = norm(one(graph.op('Add', [fed, state])), `${prefix}output.LayerNorm`)
  }
  graph.name(state, 'last_hidden_state')
  const ids = (name: string) => ({ name, type: 'int64', dims: ['batch', 'seq'] }) as const
  return graph.file(
    'bert',
    [ids('input_ids'), ids('attention_mask'), ids('token_type_ids')],
    [{ name: 'last_hidden_state', type: 'float', dims: ['batch', 'seq', HIDDEN] }],
  )
}

type Data = (name: string) => Float32Array

const one = (names: readonly string[]): string => names[0] as string

const integers = (graph: Graph, name: string, values: readonly number[], dims = [values.length]): string =>
  graph.constant(name, dims, BigInt64Array.from(values, BigInt))

const number = (graph: Graph, name: string, value: number): string => graph.constant(name, [], Float32Array.of(value))

/** Word, kind and position of every token, added up. */
const embeddings = (graph: Graph, dataOf: Data): string => {
  const table = dataOf('embeddings.word_embeddings.weight')
  const rows = table.length / HIDDEN
  const { values, scales } = quantisedRows(table, rows)
  graph.constant('we.q', [rows, HIDDEN], values)
  graph.constant('we.s', [rows, 1], scales)
  const row = one(graph.op('Gather', ['we.q', 'input_ids']))
  const asFloat = one(graph.op('Cast', [row], { attributes: { to: TO_FLOAT } }))
  const scale = one(graph.op('Gather', ['we.s', 'input_ids']))
  const word = one(graph.op('Mul', [asFloat, scale]))
  graph.constant('tt', [2, HIDDEN], dataOf('embeddings.token_type_embeddings.weight'))
  const kind = one(graph.op('Gather', ['tt', 'token_type_ids']))
  const shape = one(graph.op('Shape', ['input_ids']))
  const length = one(graph.op('Gather', [shape, integers(graph, 'one_i', [1], [])]))
  const from = integers(graph, 'r0', [0], [])
  const places = one(graph.op('Range', [from, length, integers(graph, 'r1', [1], [])]))
  graph.constant('pe', [POSITIONS, HIDDEN], dataOf('embeddings.position_embeddings.weight'))
  const position = one(graph.op('Gather', ['pe', places]))
  const wordAndKind = one(graph.op('Add', [word, kind]))
  return one(graph.op('Add', [wordAndKind, position]))
}

/** Nothing for tokens, a large negative number for padding. */
const attentionMask = (graph: Graph): string => {
  const asFloat = one(graph.op('Cast', ['attention_mask'], { attributes: { to: TO_FLOAT } }))
  const spread = one(graph.op('Unsqueeze', [asFloat, integers(graph, 'ax12', [1, 2])]))
  const padding = one(graph.op('Sub', [number(graph, ONE, 1), spread]))
  return one(graph.op('Mul', [padding, number(graph, 'cneg', -10_000)]))
}

const addShapes = (graph: Graph): void => {
  integers(graph, HEADS_SHAPE, [0, 0, HEADS, HEAD])
  integers(graph, HIDDEN_SHAPE, [0, 0, HIDDEN])
  integers(graph, THIRDS, [HIDDEN, HIDDEN, HIDDEN])
  number(graph, SQRT_2, Math.SQRT2)
  number(graph, HALF, 0.5)
}

const attention = (graph: Graph, merged: string, mask: string): string => {
  const [query, key, value] = graph.op('Split', [merged, THIRDS], { outputs: 3, attributes: { axis: { int: 2 } } })
  const perHead = (part: string | undefined, perm: readonly number[]): string => {
    const split = one(graph.op('Reshape', [part as string, HEADS_SHAPE]))
    return one(graph.op('Transpose', [split], { attributes: { perm: { ints: perm } } }))
  }
  const queries = perHead(query, [0, 2, 1, 3])
  const keys = perHead(key, [0, 2, 3, 1])
  const values = perHead(value, [0, 2, 1, 3])
  const scores = one(graph.op('MatMul', [queries, keys]))
  const masked = one(graph.op('Add', [scores, mask]))
  const shares = one(graph.op('Softmax', [masked], { attributes: { axis: { int: -1 } } }))
  const context = one(graph.op('MatMul', [shares, values]))
  const together = one(graph.op('Transpose', [context], { attributes: { perm: { ints: [0, 2, 1, 3] } } }))
  return one(graph.op('Reshape', [together, HIDDEN_SHAPE]))
}

const gelu = (graph: Graph, value: string): string => {
  const error = one(graph.op('Erf', [one(graph.op('Div', [value, SQRT_2]))]))
  const share = one(graph.op('Add', [error, ONE]))
  return one(graph.op('Mul', [one(graph.op('Mul', [value, share])), HALF]))
}

/** Query, key and value side by side, [in, out], the query divided by the root of a head's size. */
const mergedAttention = (dataOf: Data, prefix: string): { weight: Float32Array; bias: Float32Array } => {
  const scale = Math.sqrt(HEAD)
  const weight = new Float32Array(HIDDEN * 3 * HIDDEN)
  const bias = new Float32Array(3 * HIDDEN)
  for (const [part, name] of ['query', 'key', 'value'].entries()) {
    const divisor = part === 0 ? scale : 1
    const matrix = transposed(dataOf(`${prefix}${name}.weight`), HIDDEN, HIDDEN)
    const offsets = dataOf(`${prefix}${name}.bias`)
    for (let row = 0; row < HIDDEN; row++)
      for (let column = 0; column < HIDDEN; column++)
        weight[(row * 3 + part) * HIDDEN + column] = (matrix[row * HIDDEN + column] as number) / divisor
    for (let column = 0; column < HIDDEN; column++) bias[part * HIDDEN + column] = (offsets[column] as number) / divisor
  }
  return { weight, bias }
}

/** Of [rows, columns] the [columns, rows]. */
const transposed = (data: Float32Array, rows: number, columns: number): Float32Array => {
  const result = new Float32Array(data.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) result[column * rows + row] = data[row * columns + column] as number
  return result
}

type Linear = (input: string, name: string, weight: Float32Array, bias: Float32Array) => string

/** A linear layer in 8 bits. Layers that share an input share its quantised form. */
const createLinear = (graph: Graph): Linear => {
  const quantised = new Map<string, readonly string[]>()
  return (input, name, weight, bias) => {
    const known = quantised.get(input) ?? graph.op('DynamicQuantizeLinear', [input], { outputs: 3 })
    quantised.set(input, known)
    const [values, scale, zero] = known as [string, string, string]
    const columns = bias.length
    const matrix = quantisedColumns(weight, columns)
    graph.constant(`${name}.q`, [weight.length / columns, columns], matrix.values)
    graph.constant(`${name}.s`, [columns], matrix.scales)
    graph.constant(`${name}.z`, [columns], new Int8Array(columns))
    const scales = one(graph.op('Mul', [scale, `${name}.s`]))
    const product = one(graph.op('MatMulInteger', [values, `${name}.q`, zero, `${name}.z`]))
    const asFloat = one(graph.op('Cast', [product], { attributes: { to: TO_FLOAT } }))
    const scaled = one(graph.op('Mul', [asFloat, scales]))
    return one(graph.op('Add', [scaled, graph.constant(`${name}.b`, [columns], bias)]))
  }
}

interface Quantised {
  readonly values: Int8Array
  readonly scales: Float32Array
}

const LARGEST = 127
/** Of a row or column of zeros. */
const SMALLEST_SCALE = 1e-9

const quantisedRows = (data: Float32Array, rows: number): Quantised => quantise(data, rows, (i) => Math.floor(i / HIDDEN))

const quantisedColumns = (data: Float32Array, columns: number): Quantised => quantise(data, columns, (i) => i % columns)

/** Each number as a multiple of the scale of its group, which makes the largest of the group 127. */
const quantise = (data: Float32Array, groups: number, groupOf: (index: number) => number): Quantised => {
  const largest = new Float32Array(groups)
  for (let i = 0; i < data.length; i++) {
    const group = groupOf(i)
    largest[group] = Math.max(largest[group] as number, Math.abs(data[i] as number))
  }
  const scales = largest.map((value) => value / LARGEST || SMALLEST_SCALE)
  const values = new Int8Array(data.length)
  for (let i = 0; i < data.length; i++) {
    const value = Math.round((data[i] as number) / (scales[groupOf(i)] as number))
    values[i] = Math.max(-LARGEST, Math.min(LARGEST, value))
  }
  return { values, scales }
}
