import { inject } from 'vitest'
import { openPostgres } from '../store/postgres.js'
import { runStoreContract } from './contracts/store.contract.js'

runStoreContract('PostgreSQL', () => openPostgres(inject('postgresUrl')))
