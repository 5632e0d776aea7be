/** Liquidation on the book, with the numbers of rule 9's worked example and the market's limits. */
import { AccountId } from "@venue/domain/AccountId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { assertDurable, eventOf, Scene, told, usd } from "./EngineScene.ts"
import { liquidate, worth } from "./LiquidationScene.ts"

/** Ann is long 50 with an entry price of 200, and the mark is 190. */
const scene = (): Scene => {
  const market = new Scene()
  market.hold("ann", 50)
  market.ask({ _tag: "Observe", priceE8: usd(190), teller: "operator" })
  return market
}

describe("rule 9.8: a liquidation on the book", () => {
  it("a liquidation sells 16.782 at 185.78, which leaves equity of 1.2503 times the maintenance margin", () => {
    const market = scene()
    market.buy(20, 185.78, { account: "ben" })
    const before = worth(market, "ann", 190)
    const events = liquidate(market, "ann", 16.782, 185.78)
    const { notional, offBook, taker } = eventOf(events, "Traded")
    assert.strictEqual(offBook, undefined)
    assert.strictEqual(taker.order.origin, "LIQUIDATION")
    assert.strictEqual(taker.reward, null)
    assert.strictEqual(Math.round((16.782 * 190 - notional / 1e6) * 100) / 100, 70.82)
    assert.strictEqual(Math.round(taker.fee / 1e3) / 1e3, 3.118)
    // Cash was 1,100, so 600 is left at 190.
    const equity = 600 + worth(market, "ann", 190) - before
    const margin = (market.position("ann") * 190) / 15
    assert.strictEqual(Math.round(equity * 100) / 100, 526.06)
    assert.strictEqual(Math.round(margin * 100) / 100, 420.76)
    assert.strictEqual(Math.round((equity / margin) * 1e4) / 1e4, 1.2503)
    assertDurable(market)
  })

  it("a liquidation first cancels the account's orders and stops, and ends unfilled if the book has no counterparty", () => {
    const market = scene()
    market.sell(5, 210, { account: "ann" })
    market.sell(5, 180, { account: "ann", type: "STOP_LOSS" })
    market.buy(3, 188, { account: "ben" })
    market.buy(9, 185.77, { account: "ben" })
    assert.deepStrictEqual(told(liquidate(market, "ann", 16.782, 185.78)), [
      "CANCELLED 5 ann",
      "CANCELLED 5 ann",
      "Accepted",
      "Traded 3 @ 188 ben",
      "IOC_PARTIALLY_FILLED 13.782 ann"
    ])
    assertDurable(market)
  })

  it("a liquidation ignores price band, daily bounds and minimum order value", () => {
    const market = scene()
    market.buy(9, 171, { account: "ben" })
    market.ask({ _tag: "Observe", priceE8: usd(260), teller: "operator" })
    assert.deepStrictEqual(told(liquidate(market, "ann", 0.001, 150)), ["Accepted", "Traded 0.001 @ 171 ben"])
  })

  it("a liquidation never reverses the position, even if its quantity is larger", () => {
    const market = scene()
    market.buy(90, 186, { account: "ben" })
    assert.deepStrictEqual(told(liquidate(market, "ann", 90, 185.78)), ["Accepted", "Traded 50 @ 186 ben"])
  })

  it("a liquidation of a short position buys", () => {
    const market = new Scene()
    market.hold("ann", -50)
    market.sell(10, 203, { account: "ben" })
    assert.deepStrictEqual(told(liquidate(market, "ann", 10, 204)), ["Accepted", "Traded 10 @ 203 ben"])
  })

  it("if the position or the mark has changed since its decision, a liquidation only cancels orders", () => {
    const market = scene()
    const position = Engine.view(market.engine, AccountId.make("ann")).position
    const decidedOn = { position: { ...position, cashFlow: position.cashFlow - 1 }, markE8: usd(190) }
    market.sell(5, 195, { account: "ann" })
    assert.deepStrictEqual(told(liquidate(market, "ann", 5, 185.78, { decidedOn })), ["CANCELLED 5 ann", "Done"])
    for (const markE8 of [usd(189.99), usd(190.48)])
      assert.deepStrictEqual(told(liquidate(market, "ann", 5, 185.78, { decidedOn: { position, markE8 } })), ["Done"])
    assert.deepStrictEqual(told(liquidate(market, "ann", 0, 185.78)), ["Done"])
    assert.deepStrictEqual(told(liquidate(market, "ann", 5, NaN)), ["Done"])
    assert.deepStrictEqual(told(liquidate(market, "nobody", 5, 185.78)), ["Done"])
  })

  it("a liquidation changes nothing if the market is halted, the command has expired, or a former desk owner sent it", () => {
    const market = scene()
    market.sell(5, 195, { account: "ann" })
    market.ask({ _tag: "RaiseEpoch", userId: market.envelope({ account: "ann" }).userId, traderEpoch: 3 })
    assert.deepStrictEqual(told(liquidate(market, "ann", 5, 185.78, { epoch: 2 })), [])
    assert.deepStrictEqual(told(liquidate(market, "ann", 5, 185.78, { epoch: 3, expires: market.now - 1 })), ["Done"])
    market.ask({ _tag: "SetTradingState", state: "CANCEL_ONLY" })
    assert.deepStrictEqual(told(liquidate(market, "ann", 5, 185.78, { epoch: 3 })), ["Done"])
    assert.deepStrictEqual(market.orders("ann"), ["SELL 5 of 5 @ 195"])
  })

  it("I29: a liquidation on a stale price does nothing", () => {
    const market = new Scene()
    market.hold("ann", 50)
    market.ask({ _tag: "Observe", priceE8: usd(190), teller: "external" })
    market.now += 60_000
    assert.strictEqual(told(liquidate(market, "ann", 5, 185.78)).at(-1), "Done")
    assert.strictEqual(market.position("ann"), 50)
  })

  it("I20: executes a repeated liquidation only once", () => {
    const market = scene()
    market.buy(90, 186, { account: "ben" })
    const id = market.id()
    assert.strictEqual(liquidate(market, "ann", 5, 185.78, { id }).length, 2)
    assert.deepStrictEqual(liquidate(market, "ann", 5, 185.78, { id }), [])
  })
})

describe("rule 9.8: rate limit of liquidations on the book", () => {
  /** The limit for EQUITY is a tenth of 2,500,000 USD in trading hours, and 100,000 USD at the weekend. */
  const crowd = (): Scene => {
    const market = new Scene(100)
    for (const account of ["ann", "ben"]) market.hold(account, 4_000, 100)
    market.buy(8_000, 99, { account: "carl" })
    return market
  }
  const traded = (market: Scene, account: string) =>
    eventOf(liquidate(market, account, 4_000, 99), "Accepted").order.quantityLots / 1000

  it("limits liquidation volume to a tenth of the position limit, where a trade one minute ago counts with a factor of e^-1", () => {
    const market = crowd()
    assert.strictEqual(traded(market, "ann"), 2_525.252)
    assert.strictEqual(traded(market, "ben"), 0.001)
    market.now += 60_000
    assertDurable(market)
    // (250,000 - 0.36788 x 250,000.047) / 99
    assert.strictEqual(traded(market, "ben"), 1_596.263)
  })

  it("limits liquidations to 100,000 USD if a tenth of the position limit is smaller", () => {
    const market = crowd()
    market.now = Date.UTC(2026, 10, 21, 15)
    market.ask({ _tag: "Tick" })
    assert.strictEqual(traded(market, "ann"), 1_010.101)
  })
})
