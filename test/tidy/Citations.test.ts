/** Citations of rules and invariants in code and docs match the numbers in `docs/design`. */
import { expect, it } from "vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { documents, files, find, house, read, root } from "./Files.ts"

/**
 * Returns the citable numbers: sections as `rule 4`, rules as `rule 4.14`, invariants as `I27`. Each is a heading with
 * a title.
 */
const numbersOf = (rules: string, invariants: string): ReadonlyArray<string> => [
  ...[...rules.matchAll(/^(?:## (\d+)\.|### (\d+\.\d+)) \S/gm)].map(([, section, rule]) => `rule ${section ?? rule}`),
  ...[...invariants.matchAll(/^### (I\d+) \S/gm)].map(([, number = ""]) => number)
]

const numbers = numbersOf(find("docs/design/rules/*.md").map(read).join("\n"), read("docs/design/invariants.md"))
const numbered: ReadonlySet<string> = new Set(numbers)

/** Files to check. This file is exempt, because it contains invalid citations on purpose. */
const citing = [
  ...files.filter((file) => file !== "test/tidy/Citations.test.ts"),
  ...documents,
  ...find("scripts/*.mjs", "test/**/*.md")
]
const inOneLine = (file: string): string => read(file).replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ")

const dangling = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\b[Rr]ule (\d+(?:\.\d+)*)|\bI\d{1,2}\b/g)]
    .map(([cited, rule]) => (rule === undefined ? cited : `rule ${rule}`))
    .filter((cited) => !numbered.has(cited))

/** Returns citations in a wrong form, including one `rule` with several numbers. */
const misspelt = (text: string): ReadonlyArray<string> =>
  [
    ...text.matchAll(
      /"\d+(?:\.\d+)*: [a-z]|venue-rules|(?<!\bRFC \d+ )§|\b[Rr]ules \d|\b[Rr]ule \d+(?:\.\d+)*(?:,| and| or| to) \d/g
    )
  ].map(([words]) => words)

it("files cite only rules and invariants that exist exactly once in the docs, and cite them in one form", () => {
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([])
  expect(citing.flatMap((file) => dangling(inOneLine(file)).map((cited) => `${file}: ${cited}`))).toEqual([])
  expect(citing.flatMap((file) => misspelt(inOneLine(file)).map((words) => `${file}: ${words}`))).toEqual([])
})

it("detects a citation of a number that does not exist, and a citation in a wrong form", () => {
  expect(dangling("rule 4, Rule 4.14 and rule 21.2; I27")).toEqual([])
  expect(dangling("rule 4.99, Rule 99 and rule 4.1.1; I99")).toEqual(["rule 4.99", "rule 99", "rule 4.1.1", "I99"])
  expect(misspelt("as RFC 6749 §2.3.1 says (rule 6, rule 7, I27)")).toEqual([])
  const others = 'it("7.2: leverage …"), venue-rules 7, §7, rules 7, rule 6 and 7'
  expect(misspelt(others)).toEqual(['"7.2: l', "venue-rules", "§", "rules 7", "rule 6 and 7"])
})

/** Each invariant with its number, the files that implement it and the tests that name it. */
const invariants = read("docs/design/invariants.md")
  .split(/^(?=###? )/m)
  .flatMap((section) => {
    const number = /^### (I\d+) /.exec(section)?.[1]
    if (number === undefined) return []
    const [, keepers = ""] = /^- Kept by: (.+)$/m.exec(section) ?? []
    const [, tests = ""] = /^- Tests: (.+)$/m.exec(section) ?? []
    return [{ number, keepers: quoted(keepers), tests: quoted(tests) }]
  })

function quoted(text: string): ReadonlyArray<string> {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words)
}

it("each invariant lists only existing files and tests, and each listed test contains the invariant's number", () => {
  const isFile = (name: string): boolean => /^(\w+\/)*[A-Z]\w*$/.test(name)
  const absent = invariants.flatMap(({ keepers }) =>
    keepers.filter((name) => isFile(name) && !house.some((file) => `/${file}`.endsWith(`/${name}.ts`)))
  )
  expect(absent).toEqual([])
  const names = (file: string, number: string): boolean =>
    existsSync(join(root, file)) && new RegExp(`\\b${number}\\b`).test(read(file))
  const silent = invariants.flatMap(({ number, tests }) =>
    tests.filter((test) => !names(`test/${test}.test.ts`, number)).map((test) => `${number}: ${test}`)
  )
  expect(silent).toEqual([])
  expect(invariants.filter(({ tests }) => tests.length === 0)).toEqual([])
  expect(invariants.map(({ number }) => number)).toEqual(numbers.filter((number) => number.startsWith("I")))
})
