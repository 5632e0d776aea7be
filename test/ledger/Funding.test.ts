/** Tests of funding payments as the ledger books them, and of agreement between ledger and market. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { sampleMillis } from "@venue/domain/Funding"
import type { MarketEvent } from "@venue/domain/Market"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { realised } from "@venue/domain/Position"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { fundAccountId } from "@venue/domain/Split"
import * as Engine from "@venue/matching/Engine"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import { friday, Scene as MarketScene } from "../matching/EngineScene.ts"
import { aapl, alice, gold, instruments, make, usd } from "./Scene.ts"

/** A funding event, by default at a rate of 0.2 bps. */
const hour = (mark: number, rateE12 = 20_000_000): MarketEvent => ({
  _tag: "Funded",
  rateE12,
  markE8: Math.round(mark * 1e8),
  remainder: 0,
  fromMillis: 0,
  skipped: false,
  atMillis: 3_600_000
})

test("rule 10.5: at 0.2 bps a long of 50 at a mark of 204 pays 0.204, and a short of 50 receives it", () => {
  for (const units of [50, -50]) {
    const scene = make()
    scene.credit(5_000)
    scene.price(aapl, 204)
    scene.hold(units, 200)
    const before = scene.balance()
    scene.observe(hour(204))
    const received = usd(units > 0 ? -0.204 : 0.204)
    assert.deepStrictEqual(scene.balance(), {
      ...before,
      funding: received,
      equity: before.equity + received,
      available: before.available + received,
      withdrawable: before.withdrawable + received
    })
    const [holding] = Ledger.holdings(scene.trader, primaryAccountOf(alice))
    assert.strictEqual(holding!.funding, Number(received))
  }
})

test("rule 10.5: charges each account only for its position in that market at the end of the hour", () => {
  const scene = make()
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("flat") })
  scene.price(aapl, 204)
  scene.price(gold, 3_400)
  scene.hold(50, 200)
  scene.hold(-30, 200, aapl, UserId.make("sub"))
  scene.hold(1, 3_400, gold)
  scene.observe(hour(204))
  scene.hold(50, 200)
  scene.observe(hour(205, -40_000_000))
  // 50 at 204 and 0.2 bps, then 100 at 205 and -0.4 bps; the subaccount holds 30 with the opposite sign.
  assert.strictEqual(scene.balance().funding, usd(-0.204 + 0.82))
  assert.strictEqual(scene.balance(UserId.make("sub")).funding, usd(0.1224 - 0.246))
  assert.strictEqual(scene.balance(UserId.make("flat")).funding, 0n)
  const funding = new Map(
    Ledger.holdings(scene.trader, primaryAccountOf(alice)).map((holding) => [holding.symbol, holding.funding])
  )
  assert.deepStrictEqual([funding.get(aapl), funding.get(gold)], [616_000, 0])
})

test("rule 10.5: a funding payment can leave the account unable to add risk", () => {
  const scene = make()
  scene.credit(20.204)
  scene.price(aapl, 200)
  assert.isNull(scene.placed("BUY", 1, 200).finding)
  const held = make()
  held.credit(1_010.204)
  held.price(aapl, 200)
  held.hold(50, 200)
  held.observe(hour(200, 1_000_000))
  // The account has 10.204 available, less a hundredth of a dollar. Another 0.5 units with their fee need 10.1.
  assert.strictEqual(held.balance().available, usd(10.194))
  assert.isNull(held.placed("BUY", 0.5, 200).finding)
  held.observe(hour(200, 10_000_000))
  assert.strictEqual(held.placed("BUY", 0.5, 200).finding, "FAILED_MARGIN_CHECK")
})

test("lists the funding payments of a closed position, even after the trader was reloaded", () => {
  const scene = make()
  scene.price(aapl, 200)
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), {
    position: { quantityLots: 0, cashFlow: 0, basis: 0, fees: 0, funding: -204_000, rewards: 0 },
    isFrozen: false,
    orders: [],
    stops: []
  })
  assert.deepInclude(Ledger.holdings(scene.trader, primaryAccountOf(alice))[0], { quantityLots: 0, funding: -204_000 })
})

/**
 * Returns the ledgers of all users, each with the events of its accounts and the market-wide events. Some ledgers are
 * reloaded.
 */
const ledgersOf = (market: MarketScene, users: ReadonlyArray<string>) => {
  const prices: Ledger.Prices = new Map()
  const accounts = users.flatMap((user) => [user, `${user}-2`])
  const loaded = (user: string): Ledger.Trader => {
    const trader = Ledger.make(UserId.make(user), instruments, prices, OpenInterest.none(), Ledger.defaults)
    const opened = Ledger.decide(trader, { _tag: "OpenAccount", accountId: AccountId.make(`${user}-2`) }, 0)
    for (const event of Result.getOrThrow(opened)) Ledger.apply(trader, event)
    for (const accountId of Ledger.accountIds(trader)) {
      Ledger.adopt(trader, aapl, accountId, Engine.view(market.engine, accountId))
    }
    return trader
  }
  const traders = new Map(users.map((user) => [user, loaded(user)]))
  return {
    tell: (events: ReadonlyArray<MarketEvent>) => {
      for (const event of events) for (const trader of traders.values()) Ledger.observe(trader, aapl, event)
    },
    load: (user: string) => void traders.set(user, loaded(user)),
    /** Returns each account's state in the ledger and in the market. */
    books: () =>
      accounts.map((name) => {
        const accountId = AccountId.make(name)
        const { orders, position } = Engine.view(market.engine, accountId)
        const trader = traders.get(name.replace("-2", ""))!
        const holding = Ledger.holdings(trader, accountId).find(({ symbol }) => symbol === aapl)
        const own = Ledger.orders(trader, accountId).map(({ order }) => order.orderId.text)
        const { basis = 0, fees = 0, funding = 0, quantityLots = 0, realised: profit = 0 } = holding ?? {}
        const ledger = { basis, fees, funding, quantityLots, profit, orders: own.toSorted() }
        const { basis: cost, fees: paid, funding: received, quantityLots: lots } = position
        const open = orders.map(({ orderId }) => orderId.text).toSorted()
        return {
          ledger,
          market: {
            basis: cost,
            fees: paid,
            funding: received,
            quantityLots: lots,
            profit: realised(position),
            orders: open
          }
        }
      })
  }
}

test("I10, I32: over 200 hours of trading, every ledger matches the market after each decision and all sums are zero", () => {
  const market = new MarketScene()
  const users = ["ann", "ben", "cid"]
  const ledgers = ledgersOf(market, users)
  let state = 7
  const below = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit
  let paid = 0
  let keptBySplits = 0
  let day = 0
  /** Splits the contract. A 3:2 split and a 2:3 split together return almost to the earlier state. */
  const split = (numerator: number, denominator: number) => {
    const events = market.ask({ _tag: "SplitContract", exDay: ++day, numerator, denominator })
    for (const event of events) {
      if (event._tag !== "ContractSplit") continue
      keptBySplits += event.remainder
      splits++
    }
    return events
  }
  let splits = 0
  const step = (run: () => ReadonlyArray<MarketEvent>) => {
    const events = run()
    ledgers.tell(events)
    for (const { ledger, market } of ledgers.books()) assert.deepStrictEqual(ledger, market)
    const { cash, positions, reserveFund } = Engine.totals(market.engine)
    assert.deepStrictEqual([positions, cash], [0, 0])
    const received = ledgers.books().reduce((sum, { ledger }) => sum + ledger.funding, 0)
    const { funding } = Engine.view(market.engine, fundAccountId).position
    assert.strictEqual(received + funding + reserveFund, keptBySplits)
    assert.isAtLeast(reserveFund, 0)
    for (const event of events) if (event._tag === "Funded" && event.rateE12 !== 0) paid++
  }
  for (let hours = 0; hours < 200; hours++) {
    // Orders on both sides, far from the external price, which create a premium.
    const middle = 198 + below(500) / 100
    const who = () => {
      const user = users[below(3)]!
      return { user, account: below(2) === 0 ? user : `${user}-2` }
    }
    step(() => market.cancelAll(who()))
    step(() => market.buy(60 + below(10), middle - 0.01, who()))
    step(() => market.sell(60 + below(10), middle + 0.01, who()))
    for (let trades = below(4); trades > 0; trades--) {
      const [side, price] = below(2) === 0 ? (["BUY", middle + 0.02] as const) : (["SELL", middle - 0.02] as const)
      step(() => market.place(side, below(20_000) / 1_000 + 0.1, price, { ...who(), timeInForce: "IOC" }))
    }
    if (below(5) === 0) ledgers.load(users[below(3)]!)
    if (below(10) === 0)
      step(() => market.ask({ _tag: "PayDividend", exDay: hours + 1, perUnitE8: 1 + below(100_000_000) }))
    if (below(10) === 0) {
      step(() => market.ask({ _tag: "SetTradingState", state: "HALTED" }))
      step(() => split(3, 2))
      step(() => split(2, 3))
      step(() => market.ask({ _tag: "Observe", priceE8: 200_00000000, teller: "operator" }))
      step(() => market.ask({ _tag: "SetTradingState", state: "TRADING" }))
    }
    market.now += below(3_000_000)
    step(() => market.ask({ _tag: "Tick" }))
    market.now = friday + (hours + 1) * 3_600_000 + below(2) * (sampleMillis + 1)
    step(() => (below(2) === 0 ? market.ask({ _tag: "Tick" }) : market.buy(1, middle, who())))
  }
  assert.isAbove(paid, 50)
  assert.isAbove(splits, 10)
})
