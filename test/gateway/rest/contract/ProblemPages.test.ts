/** Tests that each problem page is provoked by a contract walk or by a named test, or is listed with a reason. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { places } from "./ProblemPages.ts"

const root = join(import.meta.dirname, "../../../..")

it("the test that is listed for a problem page contains the listed text", () => {
  const lost = Object.entries(places).filter(([, place]) => {
    if (!Array.isArray(place)) return false
    const [file, text] = place as readonly [string, string]
    return !readFileSync(join(root, file), "utf8").includes(text)
  })
  expect(lost).toEqual([])
})
