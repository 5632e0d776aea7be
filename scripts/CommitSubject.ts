/** The form of a commit subject: `room: imperative verb …`, at most 72 characters. */

export const maxLength = 72

/** Returns the rule that the subject breaks, or undefined for a good subject. */
export const brokenRule = (subject: string): string | undefined => {
  const { length } = subject
  if (length > maxLength) return `has ${length} characters; use at most ${maxLength}`
  const [, verb] = form.exec(subject) ?? []
  if (verb === undefined)
    return 'write "room: verb …" with a room in lower case, such as "rails: name the zero address"'
  if (notVerbs.has(verb))
    return `"${verb}" is not a verb; begin with what the commit does, such as "add", "fix" or "move"`
  if (inflections.test(verb) && !endsLikeOne.test(verb))
    return `write "${verb}" in the imperative, as in "add" or "fix"`
  return undefined
}

/** Matches one or several rooms, as in `docs`, `trade socket` or `api, auth`, then a word in lower case. */
const form = /^[a-z][a-z0-9/-]*(?:,? [a-z][a-z0-9/-]*)*: ([a-z][a-z-]*)(?: \S.*)?$/

/** Matches words that look like a past tense, a gerund or a third-person form. */
const inflections = /(?:ed|ing|[^s]s)$/
/** Imperatives with one of these endings. */
const endsLikeOne = /^(?:\w*eed|embed|shed|bring|string|ping|ring|swing|focus|alias|bias)$/

const notVerbs = new Set(
  [
    "a an the this that these those it its they them their he she we our you your i my one ones",
    "what which who whoever whose whom where when whenever while why how whether if as",
    "of in on at by for from to with without within into onto over under between among after before until since",
    "no not none nobody nothing never neither nor every each all any some several many more most both either other another",
    "and or but so only also then there here than is are was were be been has have had may might must shall should will would can"
  ].flatMap((line) => line.split(" "))
)
