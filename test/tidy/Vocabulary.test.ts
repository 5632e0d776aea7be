/** Words that `docs/design/vocabulary.md` has replaced. */
import { expect, it } from "vitest"
import { files, read } from "./Files.ts"
import { givenUp, misused } from "./Vocabulary.ts"

const table = givenUp(read("docs/design/vocabulary.md"))

it("no file uses a word that the vocabulary has replaced, except in wire texts", () => {
  const found = files
    .filter((file) => !file.startsWith("test/tidy/"))
    .flatMap((file) => misused(file, read(file), table).map((word) => `${file}: ${word}`))
  expect(found).toEqual([])
})

it("detects a replaced word in names, comments, titles and paths, but not in other strings", () => {
  const rows = givenUp("## Words that are not used\n| no | say | in |\n| `lane`, `Link` | queue | `chain` |\n")
  expect(rows).toEqual([{ words: ["lane", "Link"], butIn: ["chain"] }])
  const found = (text: string, path = "packages/api/Some.ts") => misused(path, text, rows)
  expect(found("const openLane = 1")).toEqual(["lane"])
  expect(found("/** A lane. */")).toEqual(["lane"])
  expect(found('it("a lane ends", () => {})')).toEqual(["lane"])
  expect(found("", "test/api/Lane.test.ts")).toEqual(["lane"])
  expect(found("class Link {}")).toEqual(["Link"])
  expect(found('// A link leads on.\nsend("lane", `LANE`); const planes = hyperlink')).toEqual([])
  expect(found("const lane = Link", "packages/providers/chain/Some.ts")).toEqual([])
})
