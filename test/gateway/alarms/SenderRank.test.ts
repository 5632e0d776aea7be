/** Tests of the order in which nodes send alarms without the database. */
import * as SenderRank from "@venue/gateway/alarms/SenderRank"
import { expect, it } from "vitest"

const nodes = [
  { name: "gateway-1", kind: "gateway" },
  { name: "gateway-2", kind: "gateway" },
  { name: "runner-1", kind: "runner" },
  { name: "a-runner", kind: "runner" }
] as const

it("the last holder sends at once, then the other gateways and the runners by name, 20 s apart", () => {
  const waits = nodes.map(({ name }) => SenderRank.waitMillis(name, "gateway-2", nodes))
  expect(waits).toEqual([20_000, 0, 60_000, 40_000])
})

it("a node that the others do not know yet sends last", () => {
  expect(SenderRank.waitMillis("gateway-0", "", nodes)).toBe(100_000)
})
