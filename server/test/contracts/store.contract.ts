import type { Db } from '../../store/steps.js'
import { runErasingContract } from './erasing.contract.js'
import { runHeadsContract } from './heads.contract.js'
import { runKeysContract } from './keys.contract.js'
import { runRowsContract } from './rows.contract.js'

/** All that a store must do, whatever is below it. */
export const runStoreContract = (name: string, open: () => Promise<Db>): void => {
  runRowsContract(name, open)
  runErasingContract(name, open)
  runKeysContract(name, open)
  runHeadsContract(name, open)
}
