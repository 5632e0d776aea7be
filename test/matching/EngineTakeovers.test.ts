/** Takeovers off the book, with the numbers of rule 9's worked example and its limits. */
import { AccountId } from "@venue/domain/AccountId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { assertDurable, eventOf, orderIdOf, Scene, told, usd } from "./EngineScene.ts"
import { closeTakeovers, made, mark, openTakeover, reserveFund, scene, stand, worth } from "./LiquidationScene.ts"

/** Pays this amount into the reserve fund, from an account whose position is taken over at the mark. */
const endow = (market: Scene, amount: number): void => {
  market.hold("donor", 10)
  openTakeover(market, "donor", amount)
  closeTakeovers(market, [stand(market, "house", { ratio: 1 })])
  assert.strictEqual(reserveFund(market), amount)
}

const toCents = (amount: number): number => Math.round(amount * 100) / 100

describe("rule 9.12: a takeover with its worked numbers", () => {
  it("at a mark of 186.00 the remaining equity goes to the fund, and a provider takes over 50 units for a fee of 23.25", () => {
    const market = scene(["ben", 50])
    const before = worth(market, "ann", 200)
    mark(market, 186)
    openTakeover(market, "ann", 400)
    const events = closeTakeovers(market, [stand(market, "dora", { freeMargin: 50_000 })])
    assert.deepStrictEqual(made(events), ["TAKEOVER dora 50 @ 186, fees 400 and -23.25"])
    assert.strictEqual(reserveFund(market), 376.75)
    assert.strictEqual(market.position("dora"), 50)
    assert.strictEqual(worth(market, "dora", 186), 23.25)
    assert.strictEqual(toCents(worth(market, "ann", 0) - before), -1_100)
    assertDurable(market)
  })

  it("I28: if a fund of 150 cannot cover a debt of 400, the accounts nearest to liquidation are closed at 178.00 instead", () => {
    const market = scene(["a", 40], ["c", 30], ["b", 60])
    market.sell(80, 200, { account: "ann" })
    market.buy(80, 200, { account: "house", timeInForce: "IOC" })
    endow(market, 150)
    const before = worth(market, "ann", 200)
    mark(market, 170)
    openTakeover(market, "ann", -400)
    const events = closeTakeovers(market, [
      stand(market, "b", { ratio: 7.353, mayLose: 5_000 }),
      stand(market, "c", { ratio: 2.059, mayLose: 700 }),
      stand(market, "a", { ratio: 1.985, mayLose: 900 })
    ])
    assert.deepStrictEqual(made(events), [
      "DELEVERAGING a 40 @ 178, fees 0 and 0",
      "DELEVERAGING c 10 @ 178, fees 0 and 0"
    ])
    assert.strictEqual(toCents(worth(market, "ann", 0) - before), -1_100)
    assert.strictEqual(reserveFund(market), 150)
    assertDurable(market)
  })

  it("if a fund of 400 covers the debt, the position is transferred at the mark and opposite accounts lose nothing", () => {
    const market = scene(["a", 50])
    endow(market, 400)
    mark(market, 170)
    openTakeover(market, "ann", -400)
    const events = closeTakeovers(market, [stand(market, "a", { ratio: 2, mayLose: 0 })])
    assert.deepStrictEqual(made(events), ["DELEVERAGING a 50 @ 170, fees -400 and 0"])
    assert.strictEqual(reserveFund(market), 0)
    assert.deepStrictEqual(Engine.alarms(market.engine), [])
  })

  it("a debt beyond the fund raises an alarm until a top-up, even if no account takes over", () => {
    const market = scene(["a", 50])
    mark(market, 170)
    openTakeover(market, "ann", -400)
    assert.deepStrictEqual(told(closeTakeovers(market, [])), ["TakeoverClosed"])
    const sinceMillis = market.now
    openTakeover(market, "ann", -400)
    assert.deepStrictEqual(made(closeTakeovers(market, [stand(market, "a", { mayLose: 900 })])), [
      "DELEVERAGING a 50 @ 178, fees 0 and 0"
    ])
    assert.deepStrictEqual(Engine.alarms(market.engine), [{ kind: "FUND_SHORT", sinceMillis }])
    assertDurable(market)
    market.ask({ _tag: "TopUpFund", topUpId: "first", amount: 1, reason: "" })
    assert.deepStrictEqual(Engine.alarms(market.engine), [])
    assertDurable(market)
  })
})

describe("rule 9.13, rule 9.14: order of counterparties", () => {
  it("providers take over positions in the order of their free margin, each up to its limit", () => {
    const market = scene(["ben", 50])
    mark(market, 186)
    openTakeover(market, "ann", 400)
    const events = closeTakeovers(market, [
      stand(market, "dora", { freeMargin: 1_000 }),
      stand(market, "emil", { freeMargin: 3_000, buys: 20 }),
      stand(market, "fritz", { freeMargin: 0 })
    ])
    assert.deepStrictEqual(made(events), [
      "TAKEOVER emil 20 @ 186, fees 160 and -9.3",
      "TAKEOVER dora 30 @ 186, fees 240 and -13.95"
    ])
  })

  it("a provider earns no fee for lots that shrink its position", () => {
    const market = scene(["dora", 20], ["ben", 30])
    mark(market, 186)
    openTakeover(market, "ann", 400)
    const events = closeTakeovers(market, [stand(market, "dora", { freeMargin: 1_000 })])
    assert.deepStrictEqual(made(events), ["TAKEOVER dora 50 @ 186, fees 400 and -13.95"])
  })

  it("I28: providers take as many lots as the fund can pay for, including the fund's gains from those lots", () => {
    const market = scene(["ben", 50])
    mark(market, 186)
    openTakeover(market, "ann", 0)
    const none = closeTakeovers(market, [stand(market, "dora", { freeMargin: 1_000 })])
    assert.deepStrictEqual(told(none), ["Traded 50 @ 186 ben", "TakeoverClosed"])

    const other = scene(["ben", 50])
    endow(other, 10)
    mark(other, 186)
    openTakeover(other, "ann", 0)
    const some = closeTakeovers(other, [stand(other, "dora", { freeMargin: 1_000 })])
    assert.deepStrictEqual(made(some), [
      "TAKEOVER dora 21.505 @ 186, fees 0 and -9.999825",
      "DELEVERAGING ben 28.495 @ 186, fees 0 and 0"
    ])
  })

  it("the user's other accounts neither take the position over nor are deleveraged", () => {
    const market = scene(["ben", 20])
    market.buy(20, 200, { account: "house" })
    market.sell(20, 200, { account: "ann/1", user: "ann", timeInForce: "IOC" })
    mark(market, 186)
    openTakeover(market, "ann", 0)
    const ours = { user: "ann", ratio: 1, freeMargin: 1_000 }
    const events = closeTakeovers(market, [stand(market, "ann/1", ours), stand(market, "ann/2", ours)])
    assert.deepStrictEqual(told(events), ["Traded 20 @ 186 ben", "TakeoverClosed"])
  })

  it("I28: at a price worse than the mark, an account takes over only as many lots as it can afford to lose on", () => {
    const market = scene(["a", 30], ["c", 20])
    mark(market, 170)
    openTakeover(market, "ann", -400)
    const events = closeTakeovers(market, [stand(market, "a", { ratio: 1, mayLose: 100 })])
    assert.deepStrictEqual(made(events), ["DELEVERAGING a 12.5 @ 178, fees 0 and 0"])
    assert.strictEqual(eventOf(events, "TakeoverClosed").leftLots, 37_500)
    assert.strictEqual(reserveFund(market), 0)
    assertDurable(market)
  })

  it("I28: losses on an account's position since its desk responded reduce the loss that the account can still bear", () => {
    const market = scene(["a", 40], ["b", 10])
    mark(market, 173.6)
    openTakeover(market, "ann", -220)
    const answer = stand(market, "a", { ratio: 1, mayLose: 96 })
    mark(market, 174)
    const before = worth(market, "a", 174)
    // The move of the mark uses 16 of the capacity of 96, and each lot costs 4 of the remaining 80.
    const events = closeTakeovers(market, [answer])
    assert.deepStrictEqual(made(events), ["DELEVERAGING a 20 @ 178, fees 0 and 0"])
    assert.strictEqual(toCents(worth(market, "a", 174) - before), -80)
    assertDurable(market)
  })

  it("I28: accounts whose desk did not respond come last, largest position first, at the mark or better", () => {
    const market = scene(["a", 10], ["b", 30], ["c", 20])
    mark(market, 186)
    openTakeover(market, "ann", 5)
    const events = closeTakeovers(market, [stand(market, "a", { ratio: 9 })])
    assert.deepStrictEqual(told(events), [
      "Traded 10 @ 186 a",
      "Traded 30 @ 186 b",
      "Traded 20 @ 186 c",
      "TakeoverClosed"
    ])
    const fallen = scene(["a", 10])
    mark(fallen, 186)
    openTakeover(fallen, "ann", 5)
    mark(fallen, 185.99)
    assert.deepStrictEqual(told(closeTakeovers(fallen, [])), ["TakeoverClosed"])
  })

  it("a desk's response that is based on another position counts as no response", () => {
    const market = scene(["a", 10], ["b", 30])
    mark(market, 186)
    openTakeover(market, "ann", 5)
    const before = stand(market, "a", { ratio: 1 })
    market.sell(1, 190, { account: "a" })
    market.buy(1, 190, { account: "b", timeInForce: "IOC" })
    const events = closeTakeovers(market, [before, stand(market, "b", { ratio: 9 })])
    assert.deepStrictEqual(told(events), ["Traded 29 @ 186 b", "Traded 11 @ 186 a", "TakeoverClosed"])
  })

  it("the second of two takeovers in one decision sees the effects of the first", () => {
    const market = scene(["a", 50])
    market.sell(10, 200, { account: "b" })
    market.buy(10, 200, { account: "bea", timeInForce: "IOC" })
    mark(market, 186)
    openTakeover(market, "ann", 400)
    openTakeover(market, "bea", 80)
    const events = closeTakeovers(market, [
      stand(market, "dora", { freeMargin: 9, buys: 55 }),
      stand(market, "a", {}),
      stand(market, "b", {})
    ])
    assert.deepStrictEqual(made(events), [
      "TAKEOVER dora 50 @ 186, fees 400 and -23.25",
      "TAKEOVER dora 5 @ 186, fees 40 and -2.325",
      "DELEVERAGING a 5 @ 186, fees 40 and 0"
    ])
    assertDurable(market)
  })
})

describe("rule 9.9: an open takeover", () => {
  it("while a takeover is open, the account's orders and stops are cancelled and only cancels are accepted", () => {
    const market = scene(["ben", 50])
    const resting = orderIdOf(market.buy(1, 150, { account: "ann" }))
    market.sell(5, 210, { account: "ann", type: "TAKE_PROFIT" })
    mark(market, 186)
    assert.deepStrictEqual(told(openTakeover(market, "ann", 400)), [
      "CANCELLED 1 ann",
      "CANCELLED 5 ann",
      "TakeoverOpened"
    ])
    assert.deepStrictEqual(told(market.sell(1, 190, { account: "ann" })), ["USER_IN_LIQUIDATION"])
    assert.deepStrictEqual(told(market.close({ account: "ann" })), ["USER_IN_LIQUIDATION"])
    assert.deepStrictEqual(told(market.modify(resting, { account: "ann" })), ["USER_IN_LIQUIDATION"])
    assert.deepStrictEqual(told(market.cancel(resting, { account: "ann" })), ["NO_SUCH_ORDER"])
    assert.deepStrictEqual(told(market.cancelAll({ account: "ann" })), ["Done"])
    assert.deepStrictEqual(told(openTakeover(market, "ann", 400)), ["Done"])
    assert.deepStrictEqual(
      Engine.takeovers(market.engine).map(({ accountId, share }) => [accountId, share]),
      [[AccountId.make("ann"), 400_000_000]]
    )
    assertDurable(market)
    closeTakeovers(market, [])
    assert.deepStrictEqual(Engine.takeovers(market.engine), [])
    assert.deepStrictEqual(told(market.buy(1, 180, { account: "ann" })), ["Accepted"])
  })

  it("the account's view shows an open takeover until it closes", () => {
    const market = scene(["ben", 50])
    const isFrozen = () => Engine.view(market.engine, AccountId.make("ann")).isFrozen
    mark(market, 186)
    openTakeover(market, "ann", 400)
    assert.isTrue(isFrozen())
    closeTakeovers(market, [])
    assert.isFalse(isFrozen())
  })

  it("a takeover stays open until every desk has had time to respond", () => {
    const market = scene(["ben", 50])
    mark(market, 186)
    openTakeover(market, "ann", 400)
    market.now += 499
    assert.deepStrictEqual(market.ask({ _tag: "CloseTakeovers", stands: [] }), [])
    market.now += 1
    assert.strictEqual(told(market.ask({ _tag: "CloseTakeovers", stands: [] })).at(-1), "TakeoverClosed")
  })

  it("a takeover closes without a trade if the position has changed", () => {
    const market = scene(["ben", 50])
    mark(market, 186)
    openTakeover(market, "ann", 400)
    market.ask({ _tag: "PayDividend", exDay: 20_777, perUnitE8: usd(0.26) })
    assert.deepStrictEqual(told(closeTakeovers(market, [stand(market, "dora", { freeMargin: 9 })])), ["TakeoverClosed"])
    assert.strictEqual(market.position("ann"), 50)
  })

  it("I29: a takeover closes without a trade in a halted market or on a stale price", () => {
    const halted = scene(["ben", 50])
    mark(halted, 186)
    openTakeover(halted, "ann", 400)
    halted.ask({ _tag: "SetTradingState", state: "CANCEL_ONLY" })
    assert.deepStrictEqual(told(closeTakeovers(halted, [])), ["TakeoverClosed"])
    const stale = scene(["ben", 50])
    stale.ask({ _tag: "Observe", priceE8: usd(186), teller: "external" })
    stale.now += 59_800
    openTakeover(stale, "ann", 400)
    assert.strictEqual(told(closeTakeovers(stale, [])).at(-1), "TakeoverClosed")
    assert.strictEqual(stale.position("ann"), 50)
  })

  it("refuses a takeover if the position or the mark has changed since its decision, or if a former desk owner sent it", () => {
    const market = scene(["ben", 50])
    mark(market, 186)
    const decidedOn = {
      position: Engine.view(market.engine, AccountId.make("ann")).position,
      markE8: usd(186)
    }
    for (const markE8 of [usd(185.99), usd(186.47)])
      assert.deepStrictEqual(told(openTakeover(market, "ann", 400, { decidedOn: { ...decidedOn, markE8 } })), ["Done"])
    const another = { ...decidedOn, position: { ...decidedOn.position, funding: 1 } }
    assert.deepStrictEqual(told(openTakeover(market, "ann", 400, { decidedOn: another })), ["Done"])
    assert.deepStrictEqual(told(openTakeover(market, "ann", 400, { expires: market.now - 1 })), ["Done"])
    assert.deepStrictEqual(told(openTakeover(market, "nobody", 0)), ["Done"])
    market.ask({ _tag: "SetTradingState", state: "HALTED" })
    assert.deepStrictEqual(told(openTakeover(market, "ann", 400)), ["Done"])
  })

  it("a takeover opens at the mark of its decision if the mark has since moved further against the position", () => {
    const market = scene(["ben", 50])
    mark(market, 186)
    const { position } = Engine.view(market.engine, AccountId.make("ann"))
    const [opened] = openTakeover(market, "ann", 423, { decidedOn: { position, markE8: usd(186.46) } })
    assert.strictEqual(opened?._tag === "TakeoverOpened" && opened.markE8, usd(186.46))
  })

  it("at most 256 takeovers can be open", () => {
    const market = new Scene()
    const accounts = Array.from({ length: 257 }, (_, n) => `long ${n}`)
    for (const account of accounts) market.hold(account, 1)
    const opened = accounts.map((account) => told(openTakeover(market, account, 0)))
    assert.deepStrictEqual(opened.slice(255), [["TakeoverOpened"], ["Done"]])
  })

  it("deleveraging cuts the deleveraged account's stops and reduce-only orders", () => {
    const market = scene(["ben", 50])
    market.buy(50, 150, { account: "ben", reduceOnly: true })
    market.buy(50, 240, { account: "ben", type: "STOP_LOSS" })
    mark(market, 186)
    market.sell(20, 186, { account: "ann" })
    market.buy(20, 186, { account: "carl", timeInForce: "IOC" })
    openTakeover(market, "ann", 0)
    closeTakeovers(market, [stand(market, "ben", {})])
    assert.deepStrictEqual(market.orders("ben"), ["BUY 20 of 20 @ 150"])
    assert.deepStrictEqual(market.stops("ben"), ["BUY 20 STOP_LOSS 240"])
    assertDurable(market)
  })

  it("a short position is taken over at the mark rounded in its favour, and the rounding difference goes to the fund", () => {
    const market = new Scene()
    market.hold("ann", -50)
    mark(market, 214.003)
    openTakeover(market, "ann", 400)
    const events = closeTakeovers(market, [stand(market, "house", { ratio: 1 })])
    assert.deepStrictEqual(made(events), ["DELEVERAGING house 50 @ 214, fees 400.15 and 0"])
    assertDurable(market)
  })
})
