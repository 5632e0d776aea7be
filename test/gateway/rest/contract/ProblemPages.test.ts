/** Coverage of problem pages: each is provoked by a walk or a named test, or listed with a reason. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { places } from "./ProblemPages.ts"

const root = join(import.meta.dirname, "../../../..")

it("finds the text of each problem page in its test", () => {
  const lost = Object.entries(places).filter(([, place]) => {
    if (!Array.isArray(place)) return false
    const [file, text] = place as readonly [string, string]
    return !readFileSync(join(root, file), "utf8").includes(text)
  })
  expect(lost).toEqual([])
})
