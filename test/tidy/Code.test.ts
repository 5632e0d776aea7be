/** Rules that every source file obeys. */
import { expect, it } from "vitest"
import { basename } from "node:path"
import { files, house, isIn, read } from "./Files.ts"

it("starts every file except tests with a head comment", () => {
  expect(files.filter((file) => !file.endsWith(".test.ts") && !read(file).startsWith("/**"))).toEqual([])
})

it("limits files to 400 lines", () => {
  expect(files.filter((file) => read(file).trimEnd().split("\n").length > 400)).toEqual([])
})

it("names files after a noun, without utils, common or index", () => {
  const named = (file: string): boolean =>
    /^([A-Z][A-Za-z0-9]*|main)\.ts$/.test(basename(file)) || /\/migrations\/\d{4}_[a-z_]+\.ts$/.test(file)
  expect([...house, ...files.filter(isIn("apps"))].filter((file) => !named(file))).toEqual([])
  const leftovers = /(^|\/)(src|utils?|common|shared|types|helpers?|index)(\/|\.ts$)/i
  expect(files.filter((file) => leftovers.test(file))).toEqual([])
})

it("accesses clock, randomness and environment only through Effect, and keeps types strict", () => {
  const forbidden =
    /\b(Date\.now|Math\.random|process\.env|console\.|new Date\(\)|async\b|try\s*\{|enum\s+\w|export default)|[:<|,(]\s*any\b|\bas any\b/g
  const code = (file: string): string => read(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
  const violations = house.flatMap((file) => [...code(file).matchAll(forbidden)].map(([words]) => `${file}: ${words}`))
  expect(violations).toEqual([])
})

it("contains no TODO and no skipped test", () => {
  const here = "test/tidy/Code.test.ts"
  const left = /\b(TODO|FIXME|XXX)\b|\b(it|test|describe|effect|live|layer)\.(only|skip|todo)\b/
  expect(files.filter((file) => file !== here && left.test(read(file)))).toEqual([])
})

it("lists the builds of every platform in the lock file; otherwise run scripts/lock.mjs", () => {
  const { packages } = JSON.parse(read("package-lock.json"))
  const missing = Object.entries<{ optionalDependencies?: object }>(packages).flatMap(
    ([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages)
      )
  )
  expect(missing).toEqual([])
})
