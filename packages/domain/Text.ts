/**
 * Checks of text that a description can state exactly. Lengths count Unicode code points, as JSON Schema does, and a
 * pattern is of the subset that all regular-expression engines read alike (JSON Schema 2020-12, section 6.4).
 */
import { Schema } from "effect"

/** Requires a number of characters, or more. */
export const atLeast = (characters: number) =>
  Schema.isMinCodePoints(characters, { expected: `a text of at least ${counted(characters)}` })

/** Requires a number of characters, or fewer. */
export const atMost = (characters: number) =>
  Schema.isMaxCodePoints(characters, { expected: `a text of at most ${counted(characters)}` })

/** Requires a pattern, which the description states as it is. */
export const matches = (pattern: string, expected: string) =>
  Schema.isPattern(new RegExp(pattern, "u"), { expected, toJsonSchema: () => ({ pattern }) })

/** Requires more than a pattern of the subset can state: the description has `pattern`, which lets through more, and the words. */
export const passes = (test: (text: string) => boolean, { expected, pattern }: { expected: string; pattern: string }) =>
  Schema.makeFilter(test, { expected, toJsonSchema: () => ({ pattern }) })

const counted = (characters: number): string => `${characters} character${characters === 1 ? "" : "s"}`
