import type { VersionBody } from '../../schema/records.js'

/** First segments of keys: one for each kind of row that a neighbouring store keeps. */
export type Room = '~turns' | '~knowledge' | '~schemas' | '~records' | '~profile' | '~working' | '~briefs' | '~digests'

/**
 * The key of a row: its room, then what it is named by. Any text can be such a name; characters that no key may hold are spelled as
 * their code between `~` and `.`.
 */
export const roomKey = (room: Room, ...names: readonly string[]): string => [room, ...names.map(segmentOf)].join('/')

/** What all keys begin with whose first names are these. */
export const roomPrefix = (room: Room, ...names: readonly string[]): string => `${roomKey(room, ...names)}/`

/** The names in a key of a room. */
export const namesIn = (key: string): readonly string[] => key.split('/').slice(1).map(nameOf)

const segmentOf = (name: string): string =>
  name.normalize('NFC').replace(/[^\p{L}\p{N}\p{M}\-_.@:]/gu, (mark) => `~${(mark.codePointAt(0) ?? 0).toString(16)}.`)

const nameOf = (segment: string): string =>
  segment.replace(/~([0-9a-f]+)\./g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))

/** Whether a key is of a neighbouring store: what stands there is not judged, and lists leave it out unless asked for. */
export const isInRoom = (key: string): boolean => key[0] === '~'

/** The key of the document that a section belongs to. */
export const parentOf = ({ key, type }: Pick<VersionBody, 'key' | 'type'>): { readonly parentKey?: string } =>
  type === '~section' ? { parentKey: key.slice(0, key.lastIndexOf('/')) } : {}

/**
 * The words that a passage is found by beside its own: those of its key, or of what a neighbouring store says around it, who speaks or
 * what the text stands under. A key of theirs names rows and has no words.
 */
export const wordsAround = ({
  key,
  entities,
  sourceTrace,
}: Pick<VersionBody, 'key' | 'entities' | 'sourceTrace'>): string =>
  isInRoom(key) ? `${entities.join(' ')} ${sourceTrace ?? ''}` : key
