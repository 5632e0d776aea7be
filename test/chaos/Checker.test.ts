import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import * as Checker from "./Checker.ts"
import { add, at, endedRow, heard, innocent, order, sent, tables } from "./HandmadeHistory.ts"
import {
  ended,
  err,
  key,
  late,
  nonce,
  probe,
  proof,
  pulse,
  resting,
  state,
  stop,
  trades,
  unknown,
  visible,
  without
} from "./HandmadeLines.ts"
import type { Line } from "./HistoryLine.ts"
import { spoiledNodes } from "./SpoiledNodes.ts"
import { spoiledOrders } from "./SpoiledOrders.ts"

const guilt = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  Checker.check(lines).findings.map(({ rule, text }) => `${rule}: ${text}`)

const isNotFirstRead = (line: Line) => line.kind === "read" && line.through === "gateway-2"
it("reports no violation for a correct history", () => {
  expect(guilt(innocent())).toEqual([])
  const lost = add(5_000, "ann-1", "a-9")
  expect(guilt(innocent({}, [lost, err(11_000, "ann-1", unknown, lost)]))).toEqual([])
  const refusal = endedRow("ann", "o9", "a-9", { status: "FAILED_MARGIN_CHECK", quantity: "0" })
  expect(
    guilt(innocent(ended(refusal), [lost, heard(5_010, "ann-1", order("", "a-9", "FAILED_MARGIN_CHECK"))]))
  ).toEqual([])
  const o5 = endedRow("ann", "o5", "a-3", { ended_at_millis: String(at(5_010)) })
  const named = (millis: number, order_id: string) => sent(millis, "ann-1", "cancel_order", { order_id })
  const answers = ["CANCELLED", "NO_SUCH_ORDER"].map((status) => heard(5_010, "ann-1", order("o5", "a-3", status)))
  expect(guilt(innocent(ended(o5), [...resting, named(5_000, "a-3"), named(5_001, "o5"), ...answers]))).toEqual([])
  const failed = heard(11_000, "ann-1", order("o1", "a-1", "REJECTED_FAILED_TO_PROCESS"))
  expect(guilt(innocent({}, [named(5_000, "o1"), failed]))).toEqual([])
  const unseen = heard(11_000, "ann-1", order("", "a-1", "REJECTED_FAILED_TO_PROCESS"))
  expect(guilt(innocent({}, [named(5_000, "a-1"), unseen]))).toEqual([])
  expect(guilt(innocent({}, [nonce(200, 401), nonce(401, 200), nonce(null, 401), nonce(503, null)]))).toEqual([])
  expect(
    guilt(innocent({}, [visible("o1", "open"), visible("o3", "unknown"), visible("o1", "missing", 445), proof(true)]))
  ).toEqual([])
  expect(guilt(innocent({}, [state("before", "1"), state("after", "1"), pulse(1_000, 0), pulse(2_000, 0)]))).toEqual([])
  const keys = [key(1_000, "replaced", "k1", "k2"), probe(900, "k1", "good"), probe(1_020, "k1", "refused")]
  expect(guilt(innocent({}, [...keys, probe(1_020, "k2", "good"), key(2_000, "unknown", "k2", "")]))).toEqual([])
  expect(guilt(innocent({}, [key(2_000, "unknown", "k2", ""), probe(3_000, "k2", "refused")]))).toEqual([])
})

it("I1: allows a gateway not to list an order that was filled before the query, even if the fill is reported later", () => {
  const missing = (filledMillis: number) => {
    const filled = order("o1", "a-1", "FILLED", { quantity_remaining: 0, update_time: at(filledMillis) / 1_000 })
    const texts = guilt(innocent({}, [visible("o1", "missing"), heard(4_200, "ann-1", filled)]))
    return texts.filter((text) => text.endsWith("gateway-2 did not know it (5 ms)"))
  }
  expect([missing(4_001).length, missing(4_100).length]).toEqual([0, 1])
})

it("I30: accepts that both an old and a new stop fire if the new stop was placed after the old one fired", () => {
  const both = trades(...stop("s1", "t8", 500), ...stop("s2", "t9", 600))
  const linked = (placedMillis: number) => {
    const placed = order("s2", "a-1", "ACK", { type: "STOP_LOSS", update_time: at(placedMillis) / 1_000 })
    return guilt(innocent(both, [heard(placedMillis, "ann-1", placed)])).filter((text) => text.includes("linked"))
  }
  expect([linked(550).length, linked(500).length, linked(499).length]).toEqual([0, 0, 1])
})

it.each([...spoiledOrders, ...spoiledNodes])("%s: reports a violation when %s", (_rule, _what, lines, said) => {
  expect(guilt(lines())).toContainEqual(expect.stringMatching(said))
})

it("I34: if a cancel-on-disconnect connection is lost, accepts that orders of a newer live connection stay open", () => {
  const back: ReadonlyArray<Line> = [
    { kind: "opened", at: at(20_500), connection: "cid-2", account: "cid", through: "gateway-1" },
    add(40_000, "cid-2", "c-2"),
    heard(40_010, "cid-2", order("o6", "c-2", "ACK"))
  ]
  const cancelled = endedRow("cid", "o6", "c-2", { ended_at_millis: String(at(42_000)) })
  expect(guilt(innocent(ended(cancelled), back))).toContainEqual(expect.stringMatching(/^I34: order o6 of cid was/))
  const asked = sent(41_000, "cid-2", "cancel_all_orders", {})
  expect(guilt(innocent(ended(cancelled), [...back, asked])).filter((text) => text.startsWith("I34"))).toEqual([])
})

it("I34: accepts a cancel that was decided before its cancel-on-disconnect connection closed, even if reported later", () => {
  const reported = (decidedMillis: number) =>
    guilt(
      innocent(ended(endedRow("cid", "o6", "c-2", { ended_at_millis: String(at(20_060)) })), [
        heard(20_020, "cid-1", order("o6", "c-2", "ACK", { update_time: at(decidedMillis) / 1_000 }))
      ])
    ).filter((text) => text.startsWith("I34: order o6"))
  expect([reported(19_990).length, reported(20_020).length]).toEqual([0, 1])
})

it("I34: allows more time for cancels on a busy machine, and any time for orders that another fault affects", () => {
  const slow = innocent({
    ended_order: tables.ended_order.map((row) => (row["order_id"] === "o4" ? { ...row, ...late } : row))
  })
  expect(guilt(slow.map((line) => (line.kind === "began" ? { ...line, patience: 2 } : line)))).toEqual([])
  const fault = { kind: "fault", number: 2, fault: "kill", targets: ["runner-1"] } as const
  const both: ReadonlyArray<Line> = [
    { ...fault, at: at(19_000), phase: "begin" },
    { ...fault, at: at(22_000), phase: "end" }
  ]
  expect(guilt([...slow, ...both].toSorted((a, b) => a.at - b.at))).toEqual([])
})

it("reports no violation in a correct history whose accounts were all read through one gateway", () => {
  expect(guilt(without(innocent(), isNotFirstRead))).toEqual([])
})

it("the checker imports neither the venue's code nor an npm package", () => {
  const names = readdirSync(import.meta.dirname).filter((name) => /^(Checker\w*|HistoryLine)\.ts$/.test(name))
  const targets = names.flatMap((name) =>
    [...readFileSync(`${import.meta.dirname}/${name}`, "utf8").matchAll(/ from "([^"]+)"/g)].map(
      ([, from = ""]) => from
    )
  )
  expect(names.length).toBeGreaterThan(8)
  expect(targets.filter((target) => !/^\.\/(Checker\w*|HistoryLine)\.ts$/.test(target))).toEqual([])
})
