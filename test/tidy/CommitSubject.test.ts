/** The check of commit subjects in `npm run check`. */
import { expect, it } from "vitest"
import { brokenRule } from "../../scripts/CommitSubject.ts"

it("accepts a commit subject with a room in lower case and an imperative verb", () => {
  const good = [
    "rails: name the zero address in refusals of token settings",
    "trade socket: bound long answers",
    "api, auth: embed the shared schemas",
    "market-data: process ticks in batches",
    "bench: seed the history",
    "client: bring reconnects below one second",
    `test: ${"add".padEnd(66, "x")}`
  ]
  expect(good.filter((subject) => brokenRule(subject) !== undefined)).toEqual([])
})

it("rejects a commit subject of more than 72 characters", () => {
  expect(brokenRule(`test: ${"add".padEnd(67, "x")}`)).toBe("has 73 characters; use at most 72")
})

it("rejects a commit subject without a room in lower case or without a verb", () => {
  const bad = [
    "name the zero address",
    "Rails: name the zero address",
    "rails: Name the zero address",
    "rails:",
    "rails: "
  ]
  expect(bad.filter((subject) => !brokenRule(subject)?.startsWith('write "room: verb …"'))).toEqual([])
})

it("rejects a commit subject whose verb is in the past tense, the third person or the -ing form", () => {
  for (const verb of ["added", "adding", "adds", "restated", "moving", "fixes"])
    expect(brokenRule(`rails: ${verb} the alarm`)).toBe(`write "${verb}" in the imperative, as in "add" or "fix"`)
})

it("rejects a commit subject with an article, pronoun or preposition in place of the verb", () => {
  const words = [
    "the",
    "a",
    "an",
    "of",
    "what",
    "who",
    "that",
    "those",
    "it",
    "its",
    "no",
    "nobody",
    "every",
    "one",
    "where"
  ]
  expect(
    words.filter((word) => !brokenRule(`rails: ${word} withdrawal`)?.startsWith(`"${word}" is not a verb`))
  ).toEqual([])
})
