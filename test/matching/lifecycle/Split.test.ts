/** Splits: the rules' worked example, once per day. The reserve fund buys indivisible lots (rule 19.2). */
import { AccountId } from "@venue/domain/AccountId"
import * as Split from "@venue/domain/Split"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { assertDurable, eventOf, Scene, ticks, told, usd } from "../EngineScene.ts"

const halt = (scene: Scene) => scene.ask({ _tag: "SetTradingState", state: "HALTED" })
const split = (scene: Scene, numerator: number, denominator: number, exDay = 20_000) =>
  scene.ask({ _tag: "SplitContract", exDay, numerator, denominator })
const topUp = (scene: Scene, amount: number) =>
  scene.ask({ _tag: "TopUpFund", topUpId: `${amount}`, amount: usd(amount) / 100, reason: "odd lots" })
const positionOf = (scene: Scene, account: string) => Engine.view(scene.engine, AccountId.make(account)).position
/** Returns the account's equity in 1e-6 USD, exact for prices in whole hundredths. */
const equityOf = (scene: Scene, account: string): number => {
  const { cashFlow, fees, funding, quantityLots } = positionOf(scene, account)
  return cashFlow - fees + funding + (quantityLots * Engine.prices(scene.engine)!.freshMarkE8) / 1e5
}

describe("splits", () => {
  it("a split of 4:1 turns 50 at 200 into 200 at 50 and keeps the equity", () => {
    const scene = new Scene()
    scene.hold("alice", 50)
    scene.buy(1, 199)
    scene.sell(5, 190, { type: "STOP_LOSS" })
    halt(scene)
    const before = ["alice", "house"].map((account) => equityOf(scene, account))
    assert.deepStrictEqual(told(split(scene, 4, 1)), [
      "CANCELLED 1 alice",
      "CANCELLED 5 alice",
      "ContractSplit",
      "Priced"
    ])
    const { basis, quantityLots } = positionOf(scene, "alice")
    assert.deepStrictEqual([quantityLots, basis], [200_000, 10_000_000_000])
    assert.deepStrictEqual(
      ["alice", "house"].map((account) => equityOf(scene, account)),
      before
    )
    const { freshMarkE8, markE8, oracleE8, toldE8 } = Engine.prices(scene.engine)!
    assert.deepStrictEqual([markE8, freshMarkE8, oracleE8, toldE8], [usd(50), usd(50), usd(50), usd(50)])
    assert.strictEqual(Engine.best(scene.engine).lastTicks, ticks(50))
    assertDurable(scene)
  })

  it("after a split, prices and trades in the new units are accepted", () => {
    const scene = new Scene()
    scene.hold("alice", 50)
    halt(scene)
    split(scene, 4, 1)
    scene.ask({ _tag: "Observe", priceE8: usd(51), teller: "external" })
    assert.deepInclude(Engine.prices(scene.engine), { source: "external", oracleE8: usd(51), rejections: 0 })
    scene.ask({ _tag: "SetTradingState", state: "TRADING" })
    assert.deepStrictEqual(told(scene.buy(1, 50, { account: "ben" })), ["Accepted"])
    assert.deepStrictEqual(told(scene.sell(1, 50)), ["Accepted", "Traded 1 @ 50 ben"])
    assertDurable(scene)
  })

  it("a 3:2 split of 0.003 closes the resulting half lot at a mark of 133.33333333", () => {
    const scene = new Scene()
    scene.hold("alice", 0.1)
    scene.sell(0.097, 200, { reduceOnly: true })
    scene.buy(0.097, 200, { account: "house", reduceOnly: true })
    assert.strictEqual(scene.position("alice"), 0.003)
    topUp(scene, 1)
    halt(scene)
    const events = split(scene, 3, 2)
    // Half a lot of 0.001 is worth 66,666.67 units of 1e-6 USD. The short pays this amount rounded up, and the long
    // receives it rounded down.
    const { fundLots, markE8, remainder } = eventOf(events, "ContractSplit")
    assert.deepStrictEqual([fundLots, markE8, remainder], [0, 133_33333333, 1])
    assert.deepStrictEqual([positionOf(scene, "alice").quantityLots, positionOf(scene, "house").quantityLots], [4, -4])
    assert.deepStrictEqual([positionOf(scene, "alice").cashFlow, positionOf(scene, "alice").basis], [-533_334, 533_334])
    assertDurable(scene)
  })

  it("I25: the reserve fund buys indivisible lots if it can pay for them", () => {
    const scene = new Scene()
    for (const account of ["alice", "ben"]) {
      scene.hold(account, 0.101)
      scene.now += 1
    }
    halt(scene)
    // Two half lots are worth 133,333.33 units of 1e-6 USD, minus less than one unit for rounding.
    assert.strictEqual(Engine.splitMissing(scene.engine, { numerator: 3, denominator: 2 }), 133_332)
    assert.deepStrictEqual(split(scene, 3, 2), [])
    topUp(scene, 0.2)
    assert.strictEqual(Engine.splitMissing(scene.engine, { numerator: 3, denominator: 2 }), 0)
    const { fundLots, remainder } = eventOf(split(scene, 3, 2), "ContractSplit")
    assert.deepStrictEqual([fundLots, remainder], [1, 1])
    const fund = positionOf(scene, Split.fundAccountId)
    assert.deepStrictEqual([fund.quantityLots, fund.cashFlow + fund.funding, fund.basis], [1, 0, 133_333])
    const { cash, positions, reserveFund } = Engine.totals(scene.engine)
    assert.deepStrictEqual([cash, positions, reserveFund], [0, 0, 200_000 - 133_332])
    assertDurable(scene)
  })

  it("a split is applied once per day, only in a halted market, and never if the resulting price is invalid", () => {
    const scene = new Scene()
    assert.deepStrictEqual(split(scene, 2, 1), [])
    halt(scene)
    for (const [numerator, denominator] of [
      [2, 2],
      [0, 1],
      [1.5, 1],
      [1_001, 1]
    ] as const)
      assert.deepStrictEqual(split(scene, numerator, denominator), [])
    assert.deepStrictEqual(told(split(scene, 2, 1)), ["ContractSplit", "Priced"])
    assert.deepStrictEqual(split(scene, 2, 1), [])
    assert.deepStrictEqual(split(scene, 2, 1, 19_999), [])
    for (const day of [20_001, 20_002, 20_003]) split(scene, 1_000, 1, day)
    // The price is now ten cents, so another split would lead to less than one tick.
    assert.strictEqual(Engine.prices(scene.engine)!.markE8, usd(0.1))
  })

  it("a split is repeated until it is complete if the market has more orders than one decision can end", () => {
    const scene = new Scene()
    for (let n = 0; n < 5_000; n++) scene.buy(1, 190, { account: `trader-${n}` })
    halt(scene)
    assert.strictEqual(split(scene, 2, 1).length, 4_096)
    assert.strictEqual(Engine.lastSplitDay(scene.engine), 0)
    assert.strictEqual(told(split(scene, 2, 1)).at(-2), "ContractSplit")
    assertDurable(scene)
  })
})
