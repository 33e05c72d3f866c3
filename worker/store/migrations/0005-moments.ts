/** Frozen once released. */
export const moments: readonly string[] = [
  // Versions that give a date of their own, few as they are: what reads of an earlier time have to look into. The statements that use
  // it repeat the condition.
  `create index versions_dated on versions (memory)
    where instr(body, '"validAt":') > 0 or instr(body, '"validTo":') > 0 or instr(body, '"temporalAnchor":') > 0`,
]
