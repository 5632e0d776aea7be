/** Tests that published patterns use only syntax that all regular-expression engines interpret alike. */
import { expect, it } from "vitest"
import { asyncApis, openApis } from "./PublishedDocuments.ts"

interface Stated {
  readonly pattern: string
  readonly not?: { readonly pattern: string }
}

const patternsIn = (value: unknown): ReadonlyArray<Stated> => {
  if (typeof value !== "object" || value === null) return []
  const { not: _, ...others } = value as { readonly not?: unknown }
  const own = "pattern" in value && typeof value.pattern === "string" ? [value as Stated] : []
  return [...own, ...Object.values(others).flatMap(patternsIn)]
}

const stated = [...Object.values(openApis), ...Object.values(asyncApis)].flatMap(patternsIn)

/**
 * Subset of JSON Schema 2020-12, section 6.4: characters, character classes with ranges, quantifiers, end anchors,
 * groups and alternatives. It has no escapes, because engines differ in `\d`, `\w`, `\s` and `\p`, and no dot,
 * because engines differ in line ends.
 */
const atom = String.raw`(?:\[\^?[^\\\[\]]+\]|[^\\\[\].^$*+?{}()|])`
const quantifier = String.raw`(?:[*+?]|\{\d+(?:,\d*)?\})?`
const subset = new RegExp(String.raw`^\^?(?:${atom}${quantifier}|\((?!\?)|\)${quantifier}|\|)+\$?$`, "u")

it("detects a pattern outside the portable subset", () => {
  for (const outside of ["^\\d+$", "^[^\\p{C}]*$", "(?<=a)b", "a(?!b)", "(?:a)", "a$b", "^.$", "[\\w]", "(?i)a"]) {
    expect([outside, subset.test(outside)]).toEqual([outside, false])
  }
  for (const inside of ["^[!-~]{1,255}$", "^-?[0-9]+([.][0-9]+)?$", "^(a|b)*$", "^[^ ]+( +[^ ]+)*$"]) {
    expect([inside, subset.test(inside)]).toEqual([inside, true])
  }
})

it("publishes only patterns inside the portable subset", () => {
  expect(stated.length).toBeGreaterThan(100)
  expect([...new Set(stated.map(({ pattern }) => pattern))].filter((pattern) => !subset.test(pattern))).toEqual([])
})

it("publishes patterns that match the same texts with and without the Unicode flag", () => {
  const texts = ["", "a", "A1", "é", "अ", "👍", "a b", "0x", "12.5", "-0.1", "https://a.test/b", "ABCDEFGH12"]
  for (const { pattern } of stated) {
    for (const text of texts) expect(new RegExp(pattern, "u").test(text)).toBe(new RegExp(pattern).test(text))
  }
})

it("refuses a trailing line feed even where `$` matches before it", () => {
  for (const { not, pattern } of stated.filter(({ pattern }) => pattern.endsWith("$"))) {
    for (const end of ["\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029"]) {
      expect([pattern, new RegExp(not?.pattern ?? "-").test(`12.5${end}`)]).toEqual([pattern, true])
    }
    expect([pattern, new RegExp(not?.pattern ?? "-").test("12.5 n r")]).toEqual([pattern, false])
  }
})
