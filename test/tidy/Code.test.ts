/** Rules that every source file obeys. */
import { expect, it } from "vitest"
import { basename } from "node:path"
import { files, house, isIn, read } from "./Files.ts"

it("every file except test files starts with a comment that describes it", () => {
  expect(files.filter((file) => !file.endsWith(".test.ts") && !read(file).startsWith("/**"))).toEqual([])
})

it("no file has more than 400 lines", () => {
  expect(files.filter((file) => read(file).trimEnd().split("\n").length > 400)).toEqual([])
})

it("files are named after a noun, and no file is named utils, common or index", () => {
  const named = (file: string): boolean =>
    /^([A-Z][A-Za-z0-9]*|main)\.ts$/.test(basename(file)) || /\/migrations\/\d{4}_[a-z_]+\.ts$/.test(file)
  expect([...house, ...files.filter(isIn("apps"))].filter((file) => !named(file))).toEqual([])
  const leftovers = /(^|\/)(src|utils?|common|shared|types|helpers?|index)(\/|\.ts$)/i
  expect(files.filter((file) => leftovers.test(file))).toEqual([])
})

it("files access the clock, randomness and the environment only through Effect", () => {
  const forbidden =
    /\b(Date\.now|Math\.random|process\.env|console\.|new Date\(\)|async\b|try\s*\{|enum\s+\w|export default)|[:<|,(]\s*any\b|\bas any\b/g
  const code = (file: string): string => read(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
  const violations = house.flatMap((file) => [...code(file).matchAll(forbidden)].map(([words]) => `${file}: ${words}`))
  expect(violations).toEqual([])
})

it("no file contains a TODO or a skipped test", () => {
  const here = "test/tidy/Code.test.ts"
  const left = /\b(TODO|FIXME|XXX)\b|\b(it|test|describe|effect|live|layer)\.(only|skip|todo)\b/
  expect(files.filter((file) => file !== here && left.test(read(file)))).toEqual([])
})

it("the lock file lists the native builds of every platform", () => {
  const { packages } = JSON.parse(read("package-lock.json"))
  const missing = Object.entries<{ optionalDependencies?: object }>(packages).flatMap(
    ([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages)
      )
  )
  expect(missing).toEqual([])
})
