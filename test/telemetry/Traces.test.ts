/** Ids and selection of traces. */
import { idsOf, sampler } from "@venue/telemetry/Traces"
import { expect, it } from "vitest"

const commandId = "0f5a31c2-98d4-4e2b-8a11-2b6f7c9d0e31"

it("derives the trace's id and the root span's id from the command's id", () => {
  expect(idsOf(commandId)).toEqual({ traceId: "0f5a31c298d44e2b8a112b6f7c9d0e31", rootSpanId: "8a112b6f7c9d0e31" })
  expect(idsOf("not-a-uuid")).toBeUndefined()
})

it("selects about the given share of commands, the same on every node", () => {
  const ids = Array.from({ length: 20_000 }, () => crypto.randomUUID() as string)
  const selected = ids.filter(sampler(0.1))
  expect(selected.length).toBeGreaterThan(1_600)
  expect(selected.length).toBeLessThan(2_400)
  expect(ids.filter(sampler(0.1))).toEqual(selected)
  expect(ids.filter(sampler(0.5))).toEqual(expect.arrayContaining(selected))
  expect(ids.filter(sampler(1))).toEqual(ids)
  expect(ids.filter(sampler(0))).toEqual([])
})
