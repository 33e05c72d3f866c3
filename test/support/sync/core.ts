import * as epochs from '../../../src/domain/sync/epochs.js'
import * as exchange from '../../../src/domain/sync/exchange.js'
import * as keyState from '../../../src/domain/sync/key-state.js'
import * as refusals from '../../../src/domain/sync/refusals.js'
import * as reissuing from '../../../src/domain/sync/reissue.js'
import * as stamping from '../../../src/domain/sync/stamp.js'
import * as state from '../../../src/domain/sync/state.js'

/** All that a replica decides by: the real thing, or one with a fault in it. */
export const core = { ...epochs, ...exchange, ...keyState, ...refusals, ...reissuing, ...stamping, ...state }
export type Core = typeof core
