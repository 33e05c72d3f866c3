/**
 * A predicate as it is compared: `Name_Is`, `name is` and `nameIs` are all `name is`. Case, underscores, hyphens and spaces are ways of
 * writing, letters and digits of any script are what is written.
 */
export const canonicalPredicate = (predicate: string): string =>
  predicate
    .normalize('NFKC')
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ')
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()

/** A subject or an object as it is compared: in any case, with single spaces. */
export const canonicalThing = (thing: string): string => thing.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
