import { openSqlite } from '../store/sqlite.js'
import { runStoreContract } from './contracts/store.contract.js'

runStoreContract('SQLite', async () => openSqlite(':memory:'))
