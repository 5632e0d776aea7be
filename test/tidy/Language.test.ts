/** No room uses more rejected phrases than its ceiling in `ceilings.json`, which only falls. */
import { expect, it } from "vitest"
import ceilings from "./ceilings.json" with { type: "json" }
import { find, read } from "./Files.ts"
import { type Finding, findings, misnamed, paragraphsOf, proseOf } from "./Language.ts"

const sources = find("{packages,cluster,apps,scripts,test}/**/*.{ts,mjs}").filter(
  (file) => !file.startsWith("test/tidy/")
)
const documents = find("*.md", "{docs,test}/**/*.md").filter((file) => file !== "docs/design/style.md")

const roomOf = (file: string): string => /^(?:packages|apps|test|docs)\/[^/.]+|^[^/]+/.exec(file)![0]

const counted = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const rooms = new Map<string, Array<string>>()
  const add = (file: string, found: ReadonlyArray<Finding>) => {
    const lines = rooms.get(roomOf(file)) ?? []
    rooms.set(roomOf(file), lines)
    for (const { line, phrase, sentence } of found) lines.push(`${file}:${line} ${phrase}: ${sentence}`)
  }
  for (const file of sources) {
    const code = read(file)
    add(file, [...findings(proseOf(code)), ...misnamed(code)])
  }
  for (const file of documents) add(file, findings(paragraphsOf(read(file))))
  return rooms
}

it("no directory exceeds its limit of rejected phrases", () => {
  const limits: Readonly<Record<string, number>> = ceilings
  const above = [...counted()].filter(([room, lines]) => lines.length > (limits[room] ?? 0))
  expect(above.map(([room, lines]) => ({ room, ceiling: limits[room] ?? 0, lines }))).toEqual([])
})

it("finds each rejected phrase in a comment, a test title or a document", () => {
  const code = [
    "/** Of a rail that was never asked too. */",
    "// Nobody is not asked twice.",
    'it("tells so many any more", () => {})',
    "const one = (around: Told) => said",
    "interface Told {}"
  ].join("\n")
  expect(findings(proseOf(code)).map(({ line, phrase }) => `${line} ${phrase}`)).toEqual([
    "1 opens with a relative word",
    "1 software that asks",
    "2 opens with a relative word",
    "2 software that asks",
    "2 nobody, whoever",
    "3 software that speaks",
    "3 so many",
    "3 any more"
  ])
  expect(misnamed(code).map(({ line, phrase }) => `${line} ${phrase}`)).toEqual([
    "5 type named for how it came",
    "4 name without content",
    "4 name without content"
  ])
  expect(findings(paragraphsOf("What is there, `what is`.\n```\nwhat is\n```")).map(({ phrase }) => phrase)).toEqual([
    "opens with a relative word",
    "what is, what was",
    "is there"
  ])
})

it("finds no rejected phrase in plain sentences", () => {
  const plain = "/** Number of named traders not loaded yet. */\n// Sends `content-length: 0`: some clients wait."
  expect(findings(proseOf(plain))).toEqual([])
})
