/** Numbers of long and short holders, counted at the start of each minute (rule 1.10). */
import type { MarketEvent } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { apple, assertDurable, friday, Scene } from "../EngineScene.ts"

const minute = 60_000
const counted = (events: ReadonlyArray<MarketEvent>) =>
  events.flatMap((event) => (event._tag === "HoldersCounted" ? [[event.longUsers, event.shortUsers]] : []))
const tick = (scene: Scene, atMillis: number) => {
  scene.now = atMillis
  return counted(scene.ask({ _tag: "Tick" }))
}

/** `account` buys this quantity from `from`, or sells it if the quantity is negative. */
const trade = (
  scene: Scene,
  account: string,
  quantity: number,
  from: string,
  users: Readonly<Record<string, string>>
) => {
  const ask = (account: string) => ({ account, user: users[account] ?? account })
  const [own, other] = quantity > 0 ? (["BUY", "SELL"] as const) : (["SELL", "BUY"] as const)
  scene.place(other, Math.abs(quantity), 200, ask(from))
  scene.place(own, Math.abs(quantity), 200, { ...ask(account), timeInForce: "IOC" })
}

describe("holders", () => {
  it("holders are counted per user, across all accounts", () => {
    const scene = new Scene()
    const users = { "alice-2": "alice" }
    trade(scene, "alice", 5, "bob", users)
    trade(scene, "alice-2", 3, "carol", users)
    assert.deepStrictEqual(tick(scene, friday + minute), [[1, 2]])
    // First, a user's long and short accounts of equal size cancel out. Then the user is short in total.
    trade(scene, "alice-2", -8, "bob", users)
    assert.deepStrictEqual(tick(scene, friday + 2 * minute), [[1, 1]])
    trade(scene, "alice-2", -1, "carol", users)
    assert.deepStrictEqual(tick(scene, friday + 3 * minute), [[1, 2]])
    assertDurable(scene)
  })

  it("counts holders once at the first tick of a minute, and records no event if the numbers are unchanged", () => {
    const scene = new Scene()
    trade(scene, "alice", 5, "bob", {})
    assert.deepStrictEqual(tick(scene, friday + minute - 1), [])
    assert.deepStrictEqual(tick(scene, friday + minute + 300), [[1, 1]])
    trade(scene, "carol", 5, "bob", {})
    assert.deepStrictEqual(tick(scene, friday + 2 * minute - 1), [])
    assert.deepStrictEqual(tick(scene, friday + 2 * minute), [[2, 1]])
    trade(scene, "carol", 1, "bob", {})
    assert.deepStrictEqual(tick(scene, friday + 3 * minute), [])
    assert.deepStrictEqual(tick(scene, friday + 4 * minute), [])
    assertDurable(scene)
  })

  it("counts holders before the first command of a minute, whatever the command", () => {
    const scene = new Scene()
    trade(scene, "alice", 5, "bob", {})
    scene.now = friday + minute
    const events = scene.sell(2, 210, { account: "carol" })
    assert.deepStrictEqual(counted(events), [[1, 1]])
    assert.strictEqual(events.findIndex(({ _tag }) => _tag === "HoldersCounted") < events.length - 1, true)
    trade(scene, "carol", 1, "bob", {})
    assert.deepStrictEqual(tick(scene, friday + 2 * minute - 1), [])
    assert.deepStrictEqual(tick(scene, friday + 2 * minute), [[2, 1]])
    assertDurable(scene)
  })

  it("a rebuilt or restored market counts the same holders as an uninterrupted market", () => {
    const scene = new Scene()
    trade(scene, "alice", 5, "bob", {})
    tick(scene, friday + minute)
    trade(scene, "carol", 5, "bob", {})
    const replayed = Engine.make(apple, scene.engine.settings)
    for (const event of scene.events) Engine.apply(replayed, event)
    const restored = Engine.restore(apple, scene.engine.settings, structuredClone(Engine.snapshot(scene.engine)))
    const next = [scene.engine, replayed, restored].map((engine) => {
      const events: Array<MarketEvent> = []
      Engine.decide(engine, { _tag: "Tick" }, friday + 2 * minute, events)
      return [counted(events), Engine.hash(engine)]
    })
    assert.deepStrictEqual(next[0]![0], [[2, 1]])
    assert.deepStrictEqual(next[1], next[0])
    assert.deepStrictEqual(next[2], next[0])
  })

  it("a market is not idle before it has counted its holders, even if the market is delisted", () => {
    const scene = new Scene()
    trade(scene, "alice", 5, "bob", {})
    tick(scene, friday + minute)
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    scene.ask({ _tag: "Delist" })
    assert.strictEqual(Engine.tradingState(scene.engine), "DELISTED")
    assert.isFalse(Engine.isIdle(scene.engine, scene.now))
    assert.deepStrictEqual(tick(scene, friday + 2 * minute), [[0, 0]])
    assert.isTrue(Engine.isIdle(scene.engine, scene.now))
    assertDurable(scene)
  })

  it("the reserve fund is not a holder, even if a split leaves it with a position", () => {
    const scene = new Scene()
    scene.ask({ _tag: "TopUpFund", topUpId: "one", amount: 1_000_000_000, reason: "" })
    for (const account of ["alice", "carol"]) trade(scene, account, 0.101, "bob", {})
    tick(scene, friday + minute)
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    const split = scene.ask({ _tag: "SplitContract", exDay: 30_000, numerator: 1, denominator: 200 })
    assert.include(
      split.map(({ _tag }) => _tag),
      "ContractSplit"
    )
    assert.deepStrictEqual(tick(scene, friday + 2 * minute), [[0, 1]])
    assertDurable(scene)
  })
})
