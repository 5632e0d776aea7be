/** What every file of the house is, and what none may hold. */
import { expect, it } from "vitest"
import { basename } from "node:path"
import { files, house, isIn, read } from "./Files.ts"

it("every file but a test, whose names say it, begins by saying what it is", () => {
  expect(files.filter((file) => !file.endsWith(".test.ts") && !read(file).startsWith("/**"))).toEqual([])
})

it("no file has more than 400 lines", () => {
  expect(files.filter((file) => read(file).trimEnd().split("\n").length > 400)).toEqual([])
})

it("files are named for their noun, and no folder or file is a place for leftovers", () => {
  const named = (file: string): boolean =>
    /^([A-Z][A-Za-z0-9]*|main)\.ts$/.test(basename(file)) || /\/migrations\/\d{4}_[a-z_]+\.ts$/.test(file)
  expect([...house, ...files.filter(isIn("apps"))].filter((file) => !named(file))).toEqual([])
  const leftovers = /(^|\/)(src|utils?|common|shared|types|helpers?|index)(\/|\.ts$)/i
  expect(files.filter((file) => leftovers.test(file))).toEqual([])
})

it("no code reads the clock, chance or the environment, or escapes the types, behind our back", () => {
  const forbidden =
    /\b(Date\.now|Math\.random|process\.env|console\.|new Date\(\)|async\b|try\s*\{|enum\s+\w|export default)|[:<|,(]\s*any\b|\bas any\b/g
  const code = (file: string): string => read(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
  const found = house.flatMap((file) => [...code(file).matchAll(forbidden)].map(([words]) => `${file}: ${words}`))
  expect(found).toEqual([])
})

it("nothing is left for later, and no test is left out", () => {
  const here = "test/tidy/Code.test.ts"
  const left = /\b(TODO|FIXME|XXX)\b|\b(it|test|describe|effect|live|layer)\.(only|skip|todo)\b/
  expect(files.filter((file) => file !== here && left.test(read(file)))).toEqual([])
})

it("the lock file knows the builds for every platform, or `npm ci` refuses it: run scripts/lock.mjs", () => {
  const { packages } = JSON.parse(read("package-lock.json"))
  const missing = Object.entries<{ optionalDependencies?: object }>(packages).flatMap(
    ([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages)
      )
  )
  expect(missing).toEqual([])
})
