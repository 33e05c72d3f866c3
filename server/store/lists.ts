import type { Db } from './steps.js'

/** Whether a column is among the values of one list. */
export const isOneOf = ({ dialect }: Pick<Db, 'dialect'>, type: 'bigint' | 'text'): string =>
  dialect === 'sqlite' ? 'IN (SELECT value FROM json_each(?))' : `= ANY(?::${type}[])`
