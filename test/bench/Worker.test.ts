/** Who measures, and whose code. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as Worker from "./Worker.ts"

const other = (files: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), "venue-worker-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return { folder, name: "older", nodeFlags: [] }
}

it("a worker of another checkout is the one that it has, in its folder", async () => {
  const checkout = other({ "test/bench/Echo.ts": `process.send(\`theirs in \${process.cwd()}\`)` })
  const worker = Worker.start("Echo.ts", [], { checkout })
  expect(await worker.hear()).toBe(`theirs in ${checkout.folder}`)
})

it("a checkout that has no such worker is told from one that fails", () => {
  expect(() => Worker.start("Echo.ts", [], { checkout: other({}) })).toThrow("older has no test/bench/Echo.ts")
})

it("our worker on another checkout finds the packages of that one", async () => {
  const module = (name: string) =>
    JSON.stringify({ name, type: "module", exports: { ".": "./main.js", "./*": "./*.js" } })
  const checkout = other({
    "node_modules/@venue/testing/package.json": module("@venue/testing"),
    "node_modules/@venue/testing/TestVenue.js": `
      process.send("theirs", () => process.exit(0))
      await new Promise(() => {})
      export const layerMemory = null, TestVenue = null`,
    "node_modules/effect/package.json": module("effect"),
    "node_modules/effect/main.js": "export const Effect = null",
    "node_modules/effect/testing.js": "export const TestClock = null"
  })
  expect(await Worker.startOurs("QuietHourWorker.ts", checkout).hear()).toBe("theirs")
})

it("a worker that ends without a word fails whoever waits for it", async () => {
  const worker = Worker.start("Echo.ts", [], { checkout: other({ "test/bench/Echo.ts": "process.exit(3)" }) })
  await expect(worker.hear()).rejects.toThrow("ended with 3")
})
