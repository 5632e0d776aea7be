/** Tests of the auditor's books: journal rows, hashed row ranges and past balances. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as Entries from "../../../apps/auditor/Entries.ts"
import * as Faults from "../../../apps/auditor/Faults.ts"
import type { Mark } from "../../../apps/auditor/Mark.ts"
import * as Newest from "../../../apps/auditor/Newest.ts"
import * as Stream from "../../../apps/auditor/Stream.ts"
import * as Versions from "../../../apps/auditor/Versions.ts"

const row = (seq: number, epoch: number, isClaim = false) => ({
  stream: "market/AAPL-USD",
  seq,
  epoch,
  events: new Uint8Array(isClaim ? 0 : 1)
})

it("I2, I4: reports a missing row, a row of an older epoch, and a row of a new epoch without a claim", () => {
  const after = (...rows: ReadonlyArray<ReturnType<typeof row>>) => {
    const line = Stream.make("market/AAPL-USD")
    const faults = rows.map((row) => {
      const fault = Stream.faultOf(line, row)
      Stream.take(line, row)
      return fault
    })
    return faults.at(-1)
  }
  const begun = [row(1, 1, true), row(2, 1), row(3, 2, true)] as const
  assert.isUndefined(after(...begun, row(4, 2)))
  assert.isDefined(after(...begun, row(5, 2)))
  assert.isDefined(after(...begun, row(4, 1)))
  assert.isDefined(after(...begun, row(4, 3)))
  assert.isDefined(after(...begun, row(4, 2, true)))
})

it("returns the balance as of a row even if later rows changed the balance", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(9)), { minLength: 1 }), fc.nat(), (changes, cut) => {
      const versions = Versions.make<number>()
      const history: Array<Map<string, number>> = [new Map()]
      changes.forEach(([account, value], place) => {
        // Each row has two changes.
        const seq = Math.floor(place / 2) + 1
        Versions.set(versions, String(account), value, seq)
        history[seq] = new Map(history[seq] ?? history[seq - 1]).set(String(account), value)
      })
      const knownFrom = cut % history.length
      Versions.forget(versions, knownFrom)
      history.forEach((was, seq) => {
        assert.strictEqual(Versions.isKnown(versions, seq), seq >= knownFrom)
        if (seq < knownFrom) return
        for (const account of ["0", "1", "2", "3"]) {
          assert.strictEqual(Versions.asOf(versions, account, seq), was.get(account))
        }
      })
    })
  )
})

it("keeps at least the wanted number of newest rows, in row ranges that start at the same rows for every auditor", () => {
  const newest = Newest.make()
  const complete = Array.from({ length: 1_200 }, (_, n) => Newest.add(newest, "a", n + 1, BigInt(n))).filter(
    (mark) => mark !== undefined
  )
  for (let n = 1; n <= 700; n++) Newest.add(newest, "b", n, 0n)
  assert.deepStrictEqual(complete.map(shape), [
    ["a", 1, 500, 500],
    ["a", 501, 1_000, 500]
  ])
  assert.deepStrictEqual(Newest.drop(newest, 900), [])
  assert.isAtLeast(newest.count, 900)
  assert.deepStrictEqual([...newest.marks].map(shape), [
    ["a", 1_001, 1_200, 200],
    ["b", 1, 500, 500],
    ["b", 501, 700, 200]
  ])
})

const shape = ({ count, first, last, name }: Mark) => [name, first, last, count]

it("after the rows of a rarely written stream are dropped, its next row range starts at the row after them", () => {
  const newest = Newest.make()
  for (let n = 1; n <= 200; n++) Newest.add(newest, "quiet", n, 1n)
  for (let n = 1; n <= 600; n++) Newest.add(newest, "busy", n, 1n)
  assert.deepStrictEqual(Newest.drop(newest, 500).map(shape), [["quiet", 1, 200, 200]])
  for (let n = 201; n <= 501; n++) Newest.add(newest, "quiet", n, 1n)
  assert.deepStrictEqual([...newest.marks].slice(-2).map(shape), [
    ["quiet", 201, 500, 300],
    ["quiet", 501, 501, 1]
  ])
})

it("if several rows share the last row number of a row range, all of them belong to that range", () => {
  const newest = Newest.make()
  for (const row of [499, 500, 500, 501]) Newest.add(newest, "entries", row, 1n)
  assert.deepStrictEqual([...newest.marks].map(shape), [
    ["entries", 1, 500, 3],
    ["entries", 501, 501, 1]
  ])
})

it("I9, I10: accepts the entries of a settled withdrawal only if they equal its debit and its fee", () => {
  const accepted = { rail: "ARBITRUM_ONE", amount: 100n, fee: 1n } as const
  const rows: ReadonlyArray<readonly [account: string, amount: bigint]> = [
    ["external/ARBITRUM_ONE", 99n],
    ["treasury/in-flight/ARBITRUM_ONE", -99n],
    ["venue/fees/withdrawal", 1n],
    ["treasury/in-flight/ARBITRUM_ONE", -1n]
  ]
  const entries = rows.map(([account, amount]) => ({ seq: 4, account, asset: "USD", amount }))
  assert.isUndefined(Entries.settlementFaultOf(accepted, 4, entries))
  assert.isDefined(Entries.settlementFaultOf(accepted, 3, entries))
  assert.isDefined(Entries.settlementFaultOf(accepted, 4, entries.slice(0, 2)))
  entries.forEach((entry, place) => {
    const amount = entry.amount + 1n
    assert.isDefined(Entries.settlementFaultOf(accepted, 4, entries.with(place, { ...entry, amount })), entry.account)
  })
})

it("I9, I10: reports entries that do not sum to zero or that differ from their row's amounts", () => {
  const expected = [{ seq: 4, moves: new Map([["alice", 10n]]) }]
  const entry = (account: string, amount: bigint, seq = 4) => ({ seq, account, asset: "USD", amount })
  assert.isUndefined(Entries.faultOf(expected, [entry("alice", 10n), entry("venue/funding", -10n)]))
  for (const wrong of [
    [],
    [entry("alice", 11n), entry("venue/funding", -10n)],
    [entry("alice", 11n), entry("venue/funding", -11n)],
    [entry("bob", 10n), entry("venue/funding", -10n)],
    [entry("alice", 10n, 5), entry("venue/funding", -10n, 5)],
    [entry("alice", 10n), entry("venue/funding", -10n), entry("bob", 1n, 5), entry("venue/funding", -1n, 5)]
  ]) {
    assert.isDefined(Entries.faultOf(expected, wrong))
  }
})

it("reports a difference only after a second read confirms it, and clears it after a correct read", () => {
  const faults = Faults.make()
  const looked = (place: string, fault: string | undefined) =>
    Faults.record(faults, place, fault, Effect.succeed(fault))
  looked("trades", "wrong")
  looked("entries", "wrong too")
  looked("saved state", "wrong once")
  assert.isNull(Faults.summary(faults))
  Faults.recordSecondRead(faults, "trades", "wrong")
  Faults.recordSecondRead(faults, "entries", "wrong too")
  Faults.recordSecondRead(faults, "saved state", undefined)
  assert.strictEqual(Faults.summary(faults), "trades: wrong; and 1 more")
  assert.strictEqual(faults.suspected.size, 0)
  looked("trades", undefined)
  looked("entries", undefined)
  assert.isNull(Faults.summary(faults))
})
