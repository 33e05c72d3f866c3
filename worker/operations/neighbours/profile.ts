import { roomKey, roomPrefix } from '../../../src/domain/neighbours/room.js'
import type { ProfileResult, ProfileRow, RemoveResult } from '../../../src/schema/neighbours/profile.js'
import type { JsonValue } from '../../../src/schema/scalars.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { fitting, putOne, recordingFor, type Writing } from './put.js'
import { addressOf, lastName, type Paging, pageOf, removeRow, rowAt } from './rows.js'

const PROFILE = 'profile'

const keyOf = (label: string): string => fitting(roomKey('~profile', label), 'label')

const toRow =
  (engine: Engine) =>
  (head: Head): ProfileRow => ({
    label: lastName(head),
    value: head.body.value,
    status: head.body.status,
    ...addressOf(engine, head),
  })

/** Puts a value under a label. */
export const setProfile = (
  engine: Engine,
  context: CallContext,
  input: Writing & { readonly label: string; readonly value: JsonValue; readonly ifMatchSha256?: string | undefined },
): Promise<ProfileRow> =>
  putOne(
    engine,
    context,
    recordingFor('profile.set', input),
    () => ({ key: keyOf(input.label), type: PROFILE, value: input.value }),
    ({ head }) => toRow(engine)(head),
    input.ifMatchSha256,
  )

export const getProfile = (
  engine: Engine,
  context: CallContext,
  { label }: { readonly label: string },
): ProfileRow | null => {
  const head = rowAt(engine, context, 'profile.get', keyOf(label), PROFILE)
  return head === null ? null : toRow(engine)(head)
}

export const listProfile = (engine: Engine, context: CallContext, input: Paging): ProfileResult =>
  pageOf(engine, context, input, { type: PROFILE, prefix: roomPrefix('~profile') }, toRow(engine))

export const deleteProfile = (
  engine: Engine,
  context: CallContext,
  input: Writing & { readonly label: string },
): Promise<RemoveResult> => removeRow(engine, context, 'profile.delete', keyOf(input.label), input)
