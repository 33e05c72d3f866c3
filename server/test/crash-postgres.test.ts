import { inject } from 'vitest'
import { runCrashContract } from './contracts/crash.contract.js'

runCrashContract('PostgreSQL', () => inject('postgresUrl'))
