/** Tests of profit, balance, equity and the withdrawable amount (rule 8, rule 14). */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import { aapl, alice, gold, make, type Scene, usd } from "./Scene.ts"

/**
 * Returns the worked example: deposit 5,000, realised profit 120, funding -3.5, fees 14.2, long 50 at 200, mark 204,
 * and a resting buy of 20 at 198.
 */
const worked = (): Scene => {
  const scene = make()
  scene.credit(5_000)
  scene.price(aapl, 204)
  const position = {
    quantityLots: 50_000,
    cashFlow: -10_000_000_000 + 120_000_000,
    basis: 10_000_000_000,
    fees: 14_200_000,
    funding: -3_500_000,
    rewards: 0
  }
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), { position, isFrozen: false, orders: [], stops: [] })
  scene.accept(scene.placed("BUY", 20, 198))
  return scene
}

test("returns equity 5,302.30, available 3,886.30 and withdrawable 3,686.30 for the worked example", () => {
  assert.deepStrictEqual(worked().balance(), {
    accountId: primaryAccountOf(alice),
    deposit: usd(5_000),
    realised: usd(120),
    unrealised: usd(200),
    funding: usd(-3.5),
    fees: usd(14.2),
    builderRewards: null,
    referralRewards: 0n,
    orderMargin: usd(396),
    positionMargin: usd(1_020),
    equity: usd(5_302.3),
    available: usd(3_886.3),
    withdrawable: usd(3_686.3)
  })
})

test("rule 8.8: computes the available balance of the published sample: 1,000 - 898.65735 - 1.5354636 is 99.80718", () => {
  const scene = make()
  const euro = MarketSymbol.make("EUR-USD")
  scene.credit(1_000)
  scene.price(euro, 1.12755)
  scene.hold(39_850, 1.12755, euro)
  scene.accept(scene.placed("BUY", 89, 0.86262, { symbol: euro }), euro)
  assert.deepInclude(scene.balance(), {
    positionMargin: usd(898.65735),
    // Margins are rounded up.
    orderMargin: usd(1.535464),
    available: usd(99.807186)
  })
})

test("I17: in the worked example, allows a transfer of 3,000 to a subaccount and refuses 3,700", () => {
  const scene = worked()
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  const move = (amount: number) =>
    scene.ask({
      _tag: "Transfer",
      transferId: `move-${amount}`,
      fromAccountId: primaryAccountOf(alice),
      toAccountId: AccountId.make("sub"),
      amount: usd(amount)
    })
  const refused = move(3_700)
  assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "InsufficientBalance")
  move(3_000)
  assert.strictEqual(scene.balance().deposit, usd(2_000))
  assert.strictEqual(scene.balance(UserId.make("sub")).deposit, usd(3_000))
  assert.strictEqual(scene.balance().withdrawable, usd(686.3))
})

test("a loss at the mark lowers the withdrawable amount, and a profit does not raise it", () => {
  const scene = make()
  scene.credit(5_000)
  scene.price(aapl, 200)
  scene.hold(10, 200)
  for (const [mark, withdrawable] of [
    [200, 4_800],
    [204, 4_796],
    [196, 4_764]
  ] as const) {
    scene.price(aapl, mark)
    assert.strictEqual(scene.balance().withdrawable, usd(withdrawable))
  }
})

test("sets the withdrawable amount to 0 while a takeover is open", () => {
  const scene = worked()
  const { position } = scene.trader.accounts.get(primaryAccountOf(alice))!.exposures.get(aapl)!
  const view = { position: { ...position }, isFrozen: true, orders: [], stops: [] }
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), view)
  assert.strictEqual(scene.balance().withdrawable, 0n)
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), { ...view, isFrozen: false })
  assert.isAbove(Number(scene.balance().withdrawable), 0)
})

test("a change of the mark can push the available balance below zero, and the withdrawable amount is then 0", () => {
  const scene = make()
  scene.credit(1_100)
  scene.price(aapl, 190)
  scene.hold(50, 200)
  assert.strictEqual(scene.balance().equity, usd(600))
  assert.strictEqual(scene.balance().available, usd(-350))
  assert.strictEqual(scene.balance().withdrawable, 0n)
})

test("shows a profit of 8 for a short of 2 at 180 when the mark is 176", () => {
  const scene = make()
  scene.price(aapl, 176)
  scene.hold(-2, 180)
  assert.strictEqual(Ledger.holdings(scene.trader, primaryAccountOf(alice))[0]?.unrealised, usd(8))
})

test("values a position without a price at its cost, and lists its symbol", () => {
  const scene = make()
  scene.credit(5_000)
  scene.hold(50, 200)
  assert.deepInclude(scene.balance(), { unrealised: 0n, equity: usd(5_000), positionMargin: usd(1_000) })
  assert.deepStrictEqual(Ledger.unpriced(scene.trader, primaryAccountOf(alice)), [aapl])
  scene.price(aapl, 204)
  assert.strictEqual(scene.balance().unrealised, usd(200))
  assert.deepStrictEqual(Ledger.unpriced(scene.trader, primaryAccountOf(alice)), [])
})

test("subtracts fees from equity once, and excludes them from realised profit", () => {
  const scene = make()
  scene.credit(5_000)
  scene.price(aapl, 204)
  const order = scene.accept(scene.placed("BUY", 50, 204))
  scene.trade(order, 50_000, 20_400)
  assert.deepInclude(scene.balance(), {
    fees: usd(10.2),
    realised: 0n,
    unrealised: 0n,
    equity: usd(4_989.8),
    orderMargin: 0n
  })
})

test("rounds position values down for longs and shorts alike", () => {
  for (const units of [0.1, -0.1]) {
    const scene = make()
    scene.price(aapl, 200)
    scene.hold(units, 200)
    // The loss of 1e-9 USD is rounded down to -1 unit of 1e-6 USD.
    scene.price(aapl, units > 0 ? 199.99999999 : 200.00000001)
    assert.strictEqual(scene.balance().unrealised, -1n)
  }
})

test("lists every market with a position, an order or a past trade, and shows a closed position with quantity 0", () => {
  const scene = make()
  scene.credit(50_000)
  scene.price(aapl, 200)
  scene.price(gold, 3_400)
  assert.deepStrictEqual(Ledger.holdings(scene.trader, primaryAccountOf(alice)), [])
  scene.accept(scene.placed("BUY", 1.5, 3_400, { symbol: gold }), gold)
  scene.hold(5, 200)
  scene.hold(-5, 200)
  const rows = Ledger.holdings(scene.trader, primaryAccountOf(alice))
  assert.deepStrictEqual(
    rows.map(({ openOrders, openQuantityLots, quantityLots, symbol }) => [
      symbol,
      quantityLots,
      openOrders,
      openQuantityLots
    ]),
    [
      [gold, 0, 1, 1_500],
      [aapl, 0, 0, 0]
    ]
  )
})

test("lists leverage, cost and position margin for each position", () => {
  const [holding] = Ledger.holdings(worked().trader, primaryAccountOf(alice))
  assert.deepInclude(holding, {
    quantityLots: 50_000,
    basis: 10_000_000_000,
    realised: 120_000_000,
    unrealised: usd(200),
    funding: -3_500_000,
    fees: 14_200_000,
    leverage: 10,
    marginHeld: usd(1_020),
    openOrders: 1,
    openQuantityLots: 20_000
  })
})

test("values positions exactly even if lots times mark exceed 2^53", () => {
  const scene = make()
  scene.price(MarketSymbol.make("EUR-USD"), 1.08501)
  scene.hold(40_000_000, 1.08501, MarketSymbol.make("EUR-USD"))
  assert.deepInclude(scene.balance(), { unrealised: 0n, positionMargin: usd(868_008) })
})

test("returns an undefined balance and no holdings for an unknown account", () => {
  const { trader } = make()
  assert.isUndefined(Ledger.balance(trader, AccountId.make("bob")))
  assert.deepStrictEqual(Ledger.holdings(trader, AccountId.make("bob")), [])
})

test("rule 3.5: values an account in a stale market at the last fresh mark", () => {
  const scene = worked()
  const before = scene.balance()
  const now = scene.prices.get(aapl)!
  scene.prices.set(aapl, { ...now, source: "stale", markE8: now.markE8 / 2 })
  assert.deepStrictEqual(scene.balance(), before)
  scene.price(aapl, 102)
  assert.strictEqual(scene.balance().unrealised, usd(-4_900))
})
