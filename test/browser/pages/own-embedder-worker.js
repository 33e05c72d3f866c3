// What an app would write as a worker of its own.
import { serveTransformers } from '/dist/transformers.js'
import { env, pipeline } from '/transformers/transformers.min.js'

serveTransformers({ pipeline, env })
