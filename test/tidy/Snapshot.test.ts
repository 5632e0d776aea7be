/** Shapes of stored snapshots, with the version of each. */
import * as Trader from "@venue/ledger/Snapshot"
import * as Market from "@venue/matching/state/Snapshot"
import { createHash } from "node:crypto"
import { assert, expect, it } from "vitest"
import { read } from "./Files.ts"
import { texts } from "./TypeText.ts"

/** Current version and shape hash of each snapshot; a changed shape needs a new version. */
const known = {
  "packages/matching/state/Snapshot.ts": { version: 1, shape: "36f9e8bc5b688410" },
  "packages/ledger/Snapshot.ts": { version: 1, shape: "be1640e0825596c4" }
}

const types = texts({ file: "packages/matching/state/Snapshot.ts", name: "Snapshot" })
/** An order is stored as words at numbered positions, so the positions are part of the shape. */
const words = read("packages/matching/book/OrderPool.ts").match(/^export const (?:[A-Z]+|own) = \d+$/gm) ?? []

const shapeOf = (texts: ReadonlyArray<string>) =>
  createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 16)
const current = {
  "packages/matching/state/Snapshot.ts": { version: Market.version, shape: shapeOf([...types.values(), ...words]) },
  "packages/ledger/Snapshot.ts": {
    version: Trader.version,
    shape: shapeOf([...texts({ file: "packages/ledger/Snapshot.ts", name: "Snapshot" }).values()])
  }
}

it.each(["packages/matching/state/Snapshot.ts", "packages/ledger/Snapshot.ts"] as const)(
  "if the shape of a snapshot in %s has changed, its version has changed too",
  (file) => {
    const { shape, version } = current[file]
    assert.isTrue(
      shape === known[file].shape || version !== known[file].version,
      `the snapshot has another shape: raise \`version\` in ${file}, convert the previous version in its ` +
        `\`readSnapshot\`, and enter the new version with "${shape}" in this test`
    )
    assert.deepEqual(current[file], known[file], "enter the current version and shape in this test")
  }
)

it("the shape hash of a snapshot includes all nested types", () => {
  const names = [...types.keys()].map((key) => key.split(" ")[0])
  for (const name of ["Snapshot", "Orders", "Priced", "StoredStop", "Samples", "Totals", "Twap", "OracleSamples"]) {
    expect(names).toContain(name)
  }
  expect(words.length).toBeGreaterThan(8)
})
