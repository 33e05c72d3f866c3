/** Protocol buffers as far as an ONNX file needs them: fields are numbers, and their values varints, floats or bytes. */

/** A non-negative number, or a negative one as 64-bit two's complement, seven bits per byte. */
export const varint = (value: number): Uint8Array => {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return Uint8Array.from([...bytes, Number(rest)])
}

const tag = (field: number, wireType: number): Uint8Array => varint(field * 8 + wireType)

const int = (field: number, value: number): Uint8Array => Buffer.concat([tag(field, 0), varint(value)])

const bytes = (field: number, value: string | Uint8Array): Uint8Array => {
  const content = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([tag(field, 2), varint(content.length), content])
}

const float = (field: number, value: number): Uint8Array => {
  const content = Buffer.alloc(4)
  content.writeFloatLE(value)
  return Buffer.concat([tag(field, 5), content])
}

/** Element types by the kind of array that holds them, numbered as in ONNX. */
const elementType = (data: ElementArray): number => {
  if (data instanceof Float32Array) return FLOAT
  return data instanceof Int8Array ? INT8 : INT64
}

const FLOAT = 1
const INT8 = 3
const INT64 = 7

type ElementArray = Float32Array | Int8Array | BigInt64Array

/** The number of ONNX's element type that `Cast` turns into 32-bit floats. */
export const TO_FLOAT: Attribute = { int: FLOAT }

export type Attribute = { readonly int: number } | { readonly float: number } | { readonly ints: readonly number[] }

const attribute = (name: string, value: Attribute): Uint8Array => {
  const [content, kind] =
    'float' in value
      ? [[float(2, value.float)], 1]
      : 'int' in value
        ? [[int(3, value.int)], 2]
        : [value.ints.map((number) => int(8, number)), 7]
  return Buffer.concat([bytes(1, name), ...content, int(20, kind)])
}

/** Input or output of a model: its name and its dimensions, where a name stands for any size. */
export interface Port {
  readonly name: string
  readonly type: 'float' | 'int64'
  readonly dims: readonly (number | string)[]
}

const portInfo = ({ name, type, dims }: Port): Uint8Array => {
  const shape = Buffer.concat(dims.map((dim) => bytes(1, typeof dim === 'string' ? bytes(2, dim) : int(1, dim))))
  const tensor = Buffer.concat([int(1, type === 'float' ? FLOAT : INT64), bytes(2, shape)])
  return Buffer.concat([bytes(1, name), bytes(2, bytes(1, tensor))])
}

export interface OpOptions {
  /** How many values the operator gives. Default 1. */
  readonly outputs?: number
  readonly attributes?: Readonly<Record<string, Attribute>>
}

/** A graph under construction. Values are known by name. */
export interface Graph {
  /** A constant: returns its name. */
  readonly constant: (name: string, dims: readonly number[], data: ElementArray) => string
  /** An operator: returns the names of its outputs, which are made up here. */
  readonly op: (type: string, inputs: readonly string[], options?: OpOptions) => readonly string[]
  /** Gives a value the name of a model's output. */
  readonly name: (value: string, name: string) => void
  /** The finished file. */
  readonly file: (name: string, inputs: readonly Port[], outputs: readonly Port[]) => Uint8Array
}

/** Version of the operator set, and of the file format. */
const OPSET = 17
const FORMAT = 8

export const createGraph = (producer: string): Graph => {
  const nodes: Uint8Array[] = []
  const constants: Uint8Array[] = []
  let count = 0

  const node = (type: string, inputs: readonly string[], outputs: readonly string[], more: readonly Uint8Array[]): void => {
    const names = [...inputs.map((input) => bytes(1, input)), ...outputs.map((output) => bytes(2, output))]
    nodes.push(bytes(1, Buffer.concat([...names, bytes(3, `${type}_${count}`), bytes(4, type), ...more])))
  }

  return {
    constant: (name, dims, data) => {
      const content = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      const shape = dims.map((dim) => int(1, dim))
      constants.push(bytes(5, Buffer.concat([...shape, int(2, elementType(data)), bytes(8, name), bytes(9, content)])))
      return name
    },
    op: (type, inputs, { outputs = 1, attributes = {} } = {}) => {
      const results = Array.from({ length: outputs }, () => `t${count++}`)
      const more = Object.entries(attributes).map(([name, value]) => bytes(5, attribute(name, value)))
      node(type, inputs, results, more)
      return results
    },
    name: (value, name) => {
      node('Identity', [value], [name], [])
      count++
    },
    file: (name, inputs, outputs) => {
      const ports = [...inputs.map((port) => bytes(11, portInfo(port))), ...outputs.map((port) => bytes(12, portInfo(port)))]
      const graph = Buffer.concat([...nodes, bytes(2, name), ...constants, ...ports])
      const operators = Buffer.concat([bytes(1, ''), int(2, OPSET)])
      return Buffer.concat([int(1, FORMAT), bytes(2, producer), bytes(8, operators), bytes(7, graph)])
    },
  }
}
