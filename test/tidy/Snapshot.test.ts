/** The shape of what a market stores, beside the version that it is stored under. */
import { version } from "@venue/matching/state/Snapshot"
import { createHash } from "node:crypto"
import { assert, expect, it } from "vitest"
import { read } from "./Files.ts"
import { texts } from "./TypeText.ts"

/** What was last written down; a snapshot of another shape has another version. */
const known = { version: 22, shape: "33dec3031ad168c3" }

const types = texts({ file: "packages/matching/state/Snapshot.ts", name: "Snapshot" })
/** An order is stored as words, whose places are numbers. */
const words = read("packages/matching/book/OrderPool.ts").match(/^export const (?:[A-Z]+|own) = \d+$/gm) ?? []
const shape = createHash("sha256")
  .update([...types.values(), ...words].join("\n"))
  .digest("hex")
  .slice(0, 16)

it("what a snapshot holds changes with its version", () => {
  const isRaised = shape === known.shape || version !== known.version
  assert.isTrue(
    isRaised,
    "what a snapshot holds has changed: raise `version` in packages/matching/state/Snapshot.ts, " +
      `give older ones what is new in SnapshotMigration.ts, and write that version and "${shape}" down here`
  )
  assert.deepEqual({ version, shape }, known, "write down here what is stored now")
})

it("the shape is that of all that is held, however deep", () => {
  const names = [...types.keys()].map((key) => key.split(" ")[0])
  for (const name of ["Snapshot", "Orders", "Priced", "StoredStop", "Samples", "Totals", "Twap", "OracleSamples"]) {
    expect(names).toContain(name)
  }
  expect(words.length).toBeGreaterThan(8)
})
