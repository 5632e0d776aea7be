/** Lines and content of a witness, as values. */
import * as WitnessLine from "@venue/journal/witness/WitnessLine"
import * as WitnessState from "@venue/journal/witness/WitnessState"
import { digestOf } from "@venue/journal/witness/Witness"
import { assert, describe, it } from "@effect/vitest"

const row = (stream: string, seq: number, epoch = 1): WitnessLine.Entry => ({
  _tag: "Row",
  row: { stream, seq, epoch, digest: digestOf(new Uint8Array([seq])) }
})
const fact = (number: number, isRestricted: boolean): WitnessLine.Entry => ({
  _tag: "Fact",
  fact: { kind: "key", subject: 'svc_"\\é', number, isRestricted }
})

describe("lines of a witness", () => {
  it("reads what it writes", () => {
    for (const entry of [row("market/GOLD-USD", 7, 2), fact(3, true), { _tag: "Owner", name: "runner-1" } as const])
      assert.deepStrictEqual(WitnessLine.read(WitnessLine.encode(entry)), entry)
  })

  it("rejects a line that was cut off or changed at any place", () => {
    const line = WitnessLine.encode(row("trader/1", 12_345))
    for (let at = 0; at < line.length; at++) {
      assert.isUndefined(WitnessLine.read(line.slice(0, at)))
      assert.isUndefined(WitnessLine.read(`${line.slice(0, at)}${line[at] === "1" ? "2" : "1"}${line.slice(at + 1)}`))
    }
  })

  it("keeps the text of a line that an earlier release wrote", () => {
    const line =
      '{"v":1,"stream":"market/GOLD-USD","seq":7,"epoch":2,"digest":"ca358758f6d27e6c","sum":"' +
      `${WitnessLine.encode(row("market/GOLD-USD", 7, 2)).slice(-10, -2)}"}`
    assert.strictEqual(WitnessLine.encode(row("market/GOLD-USD", 7, 2)), line)
  })
})

describe("content of a witness", () => {
  it("keeps the newest row of each stream and the newest change of each restriction", () => {
    const state = WitnessState.make()
    for (const entry of [row("a", 2), row("a", 1), row("b", 5, 2), row("b", 9, 3), fact(2, true), fact(1, false)])
      WitnessState.take(state, entry)
    assert.deepStrictEqual(WitnessState.entries(state), [row("a", 2), row("b", 9, 3), fact(2, true)])
  })

  it("I57: keeps a row when a later epoch takes its number or a lower one, as after a failover that lost rows", () => {
    const state = WitnessState.make()
    WitnessState.take(state, row("a", 100, 5))
    for (const taken of [row("a", 98, 6), row("a", 100, 7)]) {
      assert.isFalse(WitnessState.isNew(state, taken))
      WitnessState.take(state, taken)
    }
    assert.deepStrictEqual(WitnessState.entries(state), [row("a", 100, 5)])
    WitnessState.take(state, row("a", 101, 6))
    assert.deepStrictEqual(WitnessState.entries(state), [row("a", 101, 6)])
  })

  it("at its limit, drops the stream that has not changed for the longest time", () => {
    const state = WitnessState.make()
    for (let number = 0; number < WitnessState.maxRows; number++) WitnessState.take(state, row(`s${number}`, 1))
    WitnessState.take(state, row("s0", 2))
    WitnessState.take(state, row("new", 1))
    assert.strictEqual(state.rows.size, WitnessState.maxRows)
    assert.deepStrictEqual([state.rows.has("s0"), state.rows.has("s1"), state.rows.has("new")], [true, false, true])
  })
})
