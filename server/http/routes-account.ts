import type { Hono } from 'hono'
import {
  MAX_SLOTS,
  RotationRequest,
  SettingsRequest,
  SlotsReadRequest,
  SlotsRequest,
} from '../../src/schema/sync-account.js'
import { type Account, readAccount } from '../store/accounts.js'
import { readDevices } from '../store/devices.js'
import { readErasures } from '../store/emptying.js'
import { readSlots, rotate, storeSettings, storeSlots } from '../store/keys.js'
import type { Asked, Env, Parts } from './app.js'
import { jsonAnswer, readBody } from './body.js'
import { refuse } from './refused.js'
import { standing } from './routes-rows.js'

export const accountRoutes = (app: Hono<Env>, { db, nowMs }: Parts): void => {
  const answer = (c: Asked, account: Account, rest: object) =>
    jsonAnswer(c.env.incoming, `{${standing(account, nowMs())},${JSON.stringify(rest).slice(1)}`)

  /** Keys are of the whole account: a token for some namespaces only must not replace them. */
  const ofWhole = (c: Asked): string => {
    const { account, namespaces } = c.get('caller')
    if (namespaces !== null) throw refuse(403, 'namespaces')
    return account
  }

  const settingsOf = ({ settingsVersion, settings, pending }: Account) => ({ version: settingsVersion, settings, pending })

  app.get('/v1/account', async (c) => {
    const account = await db.read(() => readAccount(c.get('caller').account))
    return answer(c, account, { stored: true, ...settingsOf(account) })
  })

  app.put('/v1/account', async (c) => {
    const id = ofWhole(c)
    const { expected, settings } = await readBody(c.env.incoming, SettingsRequest)
    const { stored, account } = await db.locked(id, () => storeSettings(id, expected, settings))
    return answer(c, account, { stored, ...settingsOf(account) })
  })

  app.post('/v1/keyslots', async (c) => {
    const id = ofWhole(c)
    const { gen, slots } = await readBody(c.env.incoming, SlotsRequest)
    const { account, ...rest } = await db.locked(id, () => storeSlots(db, id, gen, slots))
    return answer(c, account, rest)
  })

  app.post('/v1/keyslots/read', async (c) => {
    const id = ofWhole(c)
    const { gen, after, limit = MAX_SLOTS } = await readBody(c.env.incoming, SlotsReadRequest)
    const account = await db.read(() => readAccount(id))
    return answer(c, account, await db.read(() => readSlots(id, gen, after, limit)))
  })

  app.post('/v1/rotation', async (c) => {
    const id = ofWhole(c)
    const request = await readBody(c.env.incoming, RotationRequest)
    const { account, outcome, missing } = await db.locked(id, () => rotate(id, request, nowMs()))
    return answer(c, account, { outcome, version: account.settingsVersion, pending: account.pending, missing })
  })

  app.get('/v1/devices', async (c) => {
    const devices = await db.read(() => readDevices(c.get('caller').account))
    return jsonAnswer(c.env.incoming, JSON.stringify({ devices }))
  })

  app.get('/v1/erasures', async (c) => {
    const { account: id, namespaces } = c.get('caller')
    const account = await db.read(() => readAccount(id))
    const erasures = await db.read(() => readErasures(id))
    return answer(c, account, { erasures: erasures.filter(({ nc }) => namespaces?.has(nc) ?? true) })
  })

  app.get('/v1/status', async (c) => {
    const id = c.get('caller').account
    const account = await db.read(() => readAccount(id))
    const devices = await db.read(() => readDevices(id))
    const { pending, usedBytes, quotaBytes } = account
    return answer(c, account, { pending, usedBytes, quotaBytes, devices: devices.length })
  })
}
