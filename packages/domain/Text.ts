/**
 * Text checks that a JSON Schema can express exactly. Lengths count Unicode code points. Patterns use the subset of
 * regular expressions that all engines interpret alike (JSON Schema 2020-12, section 6.4).
 */
import { Schema } from "effect"

/** Requires at least this number of characters. */
export const atLeast = (characters: number) =>
  Schema.isMinCodePoints(characters, { expected: `a text of at least ${counted(characters)}` })

/** Requires at most this number of characters. */
export const atMost = (characters: number) =>
  Schema.isMaxCodePoints(characters, { expected: `a text of at most ${counted(characters)}` })

/** Requires a pattern, which the JSON Schema contains unchanged. */
export const matches = (pattern: string, expected: string) =>
  Schema.isPattern(new RegExp(pattern, "u"), { expected, toJsonSchema: () => ({ pattern }) })

/**
 * Requires a condition that the pattern subset cannot express. The JSON Schema contains the wider `pattern` and the
 * description.
 */
export const passes = (test: (text: string) => boolean, { expected, pattern }: { expected: string; pattern: string }) =>
  Schema.makeFilter(test, { expected, toJsonSchema: () => ({ pattern }) })

const counted = (characters: number): string => `${characters} character${characters === 1 ? "" : "s"}`
