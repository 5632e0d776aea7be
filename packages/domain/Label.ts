/** Labels that users give to their keys and addresses: one line of text. */
import * as Text from "./Text.ts"

/**
 * Requires one line of text without leading or trailing space. Rejects control and format characters, except a
 * zero-width joiner or non-joiner between two letters, which Persian and Hindi spelling needs.
 */
export const isLabel = Text.passes((label) => line.test(label.replaceAll(joinerInWord, "")), {
  expected: "one line of text without control or format characters and without surrounding spaces",
  pattern: "^[^ ]+( +[^ ]+)*$"
})

const line = /^[^\s\p{C}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\s\p{C}])?$/u

/** U+200C or U+200D after a letter (with its marks) and before the next letter. */
const joinerInWord = /(?<=\p{L}\p{M}*)[\u200c\u200d](?=\p{L})/gu
