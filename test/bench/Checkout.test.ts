/** Validation of the checkouts that the bench compares with this one. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { open } from "./Checkout.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "venue-checkout-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (path: string, text = ""): void => {
  mkdirSync(join(folder, path, ".."), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const sources = (): void => {
  for (const path of ["scripts/boot.mjs", "apps/dev/main.ts", "packages/domain/package.json"]) write(path)
}
const link = (target: string): void => {
  mkdirSync(join(folder, "node_modules/@venue"), { recursive: true })
  symlinkSync(target, join(folder, "node_modules/@venue/domain"))
}

it("refuses a folder that is not a checkout of the repository", () => {
  expect(() => open(folder)).toThrow("is no checkout of this project: it has no scripts/boot.mjs, no apps/dev/main.ts")
})

it("if a checkout's packages are missing, explains how to install them", () => {
  sources()
  expect(() => open(folder)).toThrow(`${folder} has no node_modules: run npm ci in it first`)
})

it("refuses packages that are linked from another checkout, because the bench would measure that checkout", () => {
  sources()
  link(join(import.meta.dirname, "../../packages/domain"))
  expect(() => open(folder)).toThrow("@venue/domain of")
})

it("starts Node with the checkout's own Node flags, if it defines any", () => {
  sources()
  link("../../packages/domain")
  expect(open(folder).nodeFlags).toEqual([])
  write("scripts/node-flags.json", `["--max-semi-space-size=8"]`)
  expect(open(folder).nodeFlags).toEqual(["--max-semi-space-size=8"])
})
