/** Worker processes, and the checkout whose code they run. */
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

it("runs the other checkout's version of a worker in the other checkout's folder", async () => {
  const checkout = other({ "test/bench/Echo.ts": `process.send(\`theirs in \${process.cwd()}\`)` })
  const worker = Worker.start("Echo.ts", [], { checkout })
  expect(await worker.hear()).toBe(`theirs in ${checkout.folder}`)
})

it("if a checkout lacks the worker's file, reports the missing file", () => {
  expect(() => Worker.start("Echo.ts", [], { checkout: other({}) })).toThrow("older has no test/bench/Echo.ts")
})

it("runs this checkout's worker with the other checkout's packages", async () => {
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

it("a pending receive fails if the worker exits without a message", async () => {
  const worker = Worker.start("Echo.ts", [], { checkout: other({ "test/bench/Echo.ts": "process.exit(3)" }) })
  await expect(worker.hear()).rejects.toThrow("ended with 3")
})
