// Stands in for transformers.js where a test is about files and workers: it loads as versions before 4 do, and embeds by letters.

export const env = { allowLocalModels: false, localModelPath: '/nowhere/', backends: { onnx: { wasm: {} } } }

const vectorOf = async (text) => {
  if (text === 'wait') await new Promise(() => undefined)
  if (text === 'break down') throw new RangeError('Array buffer allocation failed')
  if (text === 'refuse') throw new Error('not this text')
  const vector = new Float32Array(4)
  for (const [at, letter] of [...text].entries()) vector[at % 4] += letter.codePointAt(0)
  return vector
}

export const pipeline = async (_task, model) => {
  const read = async (path) => {
    const response = await fetch(`${env.localModelPath}${model}/${path}`)
    if (!response.ok) throw new Error(`${path} was not found`)
    return response
  }
  const config = await (await read('config.json')).json()
  await (await read('onnx/model_quantized.onnx')).arrayBuffer()
  const extractor = async (texts) => {
    const vectors = await Promise.all(texts.map(vectorOf))
    return { data: Float32Array.from(vectors.flatMap((vector) => [...vector])), dims: [texts.length, 4] }
  }
  const tokenizer = (text) => ({ input_ids: { dims: [1, text.split(' ').length] } })
  return Object.assign(extractor, { tokenizer: Object.assign(tokenizer, { model_max_length: 256 }), model: { config } })
}
