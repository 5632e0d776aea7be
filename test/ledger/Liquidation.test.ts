/** Tests of the maintenance margin, and of the commands allowed to an account in liquidation (rule 9.1). */
import { AccountId } from "@venue/domain/AccountId"
import type { TraderCommand } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import * as Headroom from "@venue/ledger/Headroom"
import * as Ledger from "@venue/ledger/Ledger"
import * as Liquidation from "@venue/ledger/Liquidation"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import { id } from "../Id.ts"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { refresh } from "@venue/ledger/Account"
import { aapl, alice, gold, make, type Scene, usd } from "./Scene.ts"

/**
 * Returns an account with a deposit of 1,100, long 50 AAPL at 200 and leverage 10. Liquidation begins at 8,900 /
 * 46.6667 = 190.714.
 */
const longFifty = (mark: number): Scene => {
  const scene = make()
  scene.credit(1_100)
  scene.price(aapl, mark)
  scene.hold(50, 200)
  return scene
}

const said = (command: TraderCommand) =>
  command._tag === "Refuse" ? command.status : command._tag === "Place" ? command.finding : command._tag

test("rule 9.1: an account with a maintenance margin of 635.70 enters liquidation at a mark of 190.71, but not at 190.72", () => {
  assert.strictEqual(said(longFifty(190.71).enter("BUY", 1, 190)), "USER_IN_LIQUIDATION")
  // Nothing is available at either mark.
  assert.strictEqual(said(longFifty(190.72).enter("BUY", 1, 190)), "FAILED_MARGIN_CHECK")
})

test("rule 9.1: puts an account into liquidation when its equity equals the maintenance margin", () => {
  // 60 at 200, bought at 210, leave 800 of equity, which is two thirds of a tenth of 12,000.
  for (const [deposit, status] of [
    [1_400, "USER_IN_LIQUIDATION"],
    [1_400.000001, "FAILED_MARGIN_CHECK"]
  ] as const) {
    const scene = make()
    scene.credit(deposit)
    scene.price(aapl, 200)
    scene.hold(60, 210)
    assert.strictEqual(said(scene.enter("BUY", 1, 200)), status)
  }
})

test("rule 9.1: treats a short like a long, in every symbol of the account", () => {
  const scene = make()
  scene.credit(1_100)
  scene.price(aapl, 210)
  scene.price(gold, 3_400)
  scene.hold(-50, 200)
  // Equity 600, maintenance margin 700.
  assert.strictEqual(said(scene.enter("SELL", 1, 210)), "USER_IN_LIQUIDATION")
  assert.strictEqual(said(scene.enter("BUY", 1, 3_400, { symbol: gold })), "USER_IN_LIQUIDATION")
  scene.price(aapl, 205)
  assert.isNull(said(scene.enter("BUY", 1, 205)))
})

test("rule 9.1: leaves other accounts of the user unaffected", () => {
  const scene = longFifty(186)
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  scene.credit(1_000, UserId.make("sub"))
  assert.isNull(said(scene.enter("BUY", 1, 186, { accountId: AccountId.make("sub") })))
  assert.strictEqual(said(scene.enter("BUY", 1, 186)), "USER_IN_LIQUIDATION")
})

test("rule 9.1: during liquidation accepts only orders that reduce: reduce-only orders, sells up to the position, closes", () => {
  const scene = longFifty(190)
  assert.isNull(said(scene.enter("SELL", 50, 190)))
  assert.strictEqual(said(scene.enter("SELL", 0.1, 190)), "USER_IN_LIQUIDATION")
  assert.isNull(said(scene.enter("SELL", 50, 190, { reduceOnly: true })))
  assert.strictEqual(said(scene.closing()), "Close")
})

test("rule 9.1: allows a resting order of an account in liquidation to shrink, but not to grow or move", () => {
  const scene = longFifty(204)
  const order = scene.accept(scene.placed("BUY", 1, 198))
  scene.price(aapl, 190)
  assert.strictEqual(said(scene.modification(order, 197, 1)), "USER_IN_LIQUIDATION")
  assert.strictEqual(said(scene.modification(order, 198, 2)), "USER_IN_LIQUIDATION")
  const shrunk = scene.modification(order, 0, 0.5)
  assert.deepInclude(shrunk, { _tag: "Modify", finding: null })
})

test("rule 9.2: counts equity up to a fifth above the maintenance margin as a warning, and equity equal to it as liquidation", () => {
  // Equity is 1.2 times the maintenance margin where 1.2 x 50 x mark / 15 = 1,100 - 50 x (200 - mark), at 193.478.
  for (const [mark, counted] of [
    [193.48, { warned: 0, inLiquidation: 0 }],
    [193.47, { warned: 1, inLiquidation: 0 }],
    [190.72, { warned: 1, inLiquidation: 0 }],
    [190.71, { warned: 0, inLiquidation: 1 }]
  ] as const) {
    assert.deepEqual(Ledger.atRisk(longFifty(mark).trader), counted)
  }
  const two = longFifty(193.47)
  two.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  assert.deepEqual(Ledger.atRisk(two.trader), { warned: 1, inLiquidation: 0 })
  two.hold(1, 200, aapl, UserId.make("sub"))
  assert.deepEqual(Ledger.atRisk(two.trader), { warned: 1, inLiquidation: 1 })
})

const accountOf = ({ trader }: Scene) => {
  const account = trader.accounts.get(primaryAccountOf(alice))!
  refresh(account, trader.prices)
  return account
}
const measureOf = (scene: Scene, isOpen: (symbol: MarketSymbol) => boolean = () => true) =>
  Liquidation.measure(accountOf(scene), isOpen)

test("rule 9.4: at a mark of 190, offers 16.782 at 185.78, which raises equity to 1.2503 times the maintenance margin", () => {
  const scene = longFifty(190)
  const position = { ...accountOf(scene).exposures.get(aapl)!.position }
  assert.deepEqual(measureOf(scene)?.measure, {
    _tag: "Liquidate",
    decidedOn: { position, markE8: 19_000_000_000 },
    takerRate: 100_000,
    leverage: 10,
    quantityLots: 16_782,
    priceTicks: 18_578
  })
  scene.holdLots(-16_782, 18_578, aapl, alice, 3_117_760)
  const { equity } = scene.balance()
  const margin = Liquidation.maintenanceMargin(accountOf(scene))
  assert.strictEqual(equity, usd(526.0622))
  assert.strictEqual(margin, usd(420.761334))
  assert.strictEqual((equity * 10_000n) / margin, 12_502n)
  assert.isUndefined(measureOf(scene))
})

test("rule 9.4: limits a slice to the position, and buys back a short at no more than the limit above the mark", () => {
  const scene = make()
  scene.credit(1_100)
  scene.price(aapl, 209)
  scene.hold(-50, 200)
  // Equity 650, maintenance margin 696.67; 209 x 1.0222 = 213.644.
  assert.deepInclude(measureOf(scene)?.measure, { _tag: "Liquidate", priceTicks: 21_364, quantityLots: 17_578 })
  const one = make()
  one.credit(0.0181)
  one.price(aapl, 200)
  one.holdLots(1, 20_500)
  assert.deepInclude(measureOf(one)?.measure, { _tag: "Liquidate", quantityLots: 1 })
})

test("rule 9.5: opens a takeover at marks of at most 186.279, where equity is at most two thirds of the maintenance margin", () => {
  assert.strictEqual(measureOf(longFifty(186.28))?.measure._tag, "Liquidate")
  assert.strictEqual(measureOf(longFifty(186.27))?.measure._tag, "OpenTakeover")
  assert.deepInclude(measureOf(longFifty(186))?.measure, { share: 400_000_000 })
  assert.deepInclude(measureOf(longFifty(170))?.measure, { share: -400_000_000 })
})

/**
 * Short 2 GOLD at 3,400 and 30x: at an AAPL mark of 186, GOLD has 151.11 of the total maintenance margin of 771.11,
 * and the same share of the equity.
 */
const twoMarkets = (): Scene => {
  const scene = longFifty(186)
  scene.price(gold, 3_400)
  scene.hold(-2, 3_400, gold)
  return scene
}

test("rule 9.6: takes over the market with the largest maintenance margin first, with that market's share of the equity", () => {
  const scene = twoMarkets()
  // 400 x 620 / 771.11 is 321.61.
  assert.deepInclude(measureOf(scene)?.measure, { share: 321_613_832 })
  assert.strictEqual(measureOf(scene)?.exposure.instrument.symbol, aapl)
})

test("rule 9.6: keeps the margin ratio of the remaining positions, and assigns all remaining equity to the last position", () => {
  const scene = twoMarkets()
  const before = (400_000_000n * 1_000_000n) / Liquidation.maintenanceMargin(accountOf(scene))
  scene.holdLots(-50_000, 18_600, aapl, alice, 321_613_832)
  assert.strictEqual((scene.balance().equity * 1_000_000n) / Liquidation.maintenanceMargin(accountOf(scene)), before)
  assert.deepInclude(measureOf(scene)?.measure, { share: 78_386_168 })
})

test("rule 9.3: liquidates only in markets that trade at a fresh price, and values the other positions at the last mark", () => {
  const scene = twoMarkets()
  const next = measureOf(scene, (symbol) => symbol !== aapl)
  assert.strictEqual(next?.exposure.instrument.symbol, gold)
  // 400 x 151.11 / 771.11 is 78.39.
  assert.deepInclude(next?.measure, { share: 78_386_167 })
  assert.isUndefined(measureOf(scene, () => false))
})

test("rule 8.9, rule 9.1: refuses withdrawals and added risk while a takeover is open, despite deposits and mark changes", () => {
  const scene = twoMarkets()
  const accountId = primaryAccountOf(alice)
  const sub = AccountId.make("sub")
  scene.ask({ _tag: "OpenAccount", accountId: sub })
  const takeover = { takeoverId: id("takeover"), userId: alice, accountId, atMillis: 0 }
  const opened = { ...takeover, quantityLots: 50_000, markE8: 18_600_000_000, share: 321_613_832, expiresAtMillis: 0 }
  scene.observe({ _tag: "TakeoverOpened", ...opened })
  scene.credit(1_000)
  scene.price(aapl, 210)
  const transfer = { _tag: "Transfer", fromAccountId: accountId, toAccountId: sub, amount: 1n } as const
  assert.strictEqual(scene.balance().withdrawable, 0n)
  assert.isTrue(Result.isFailure(scene.ask({ ...transfer, transferId: "early" })))
  assert.strictEqual(said(scene.enter("SELL", 0.1, 3_400, { symbol: gold })), "USER_IN_LIQUIDATION")
  assert.isNull(said(scene.enter("BUY", 0.1, 3_400, { symbol: gold, reduceOnly: true })))
  scene.observe({ _tag: "TakeoverClosed", ...takeover, leftLots: 50_000 })
  assert.isNull(said(scene.enter("SELL", 0.1, 3_400, { symbol: gold })))
  assert.isTrue(Result.isSuccess(scene.ask({ ...transfer, transferId: "late" })))
})

test("rule 9.6: chooses between markets with equal maintenance margins by symbol", () => {
  const scene = make()
  scene.credit(800)
  scene.ask({ _tag: "SetLeverage", accountId: primaryAccountOf(alice), symbol: gold, leverage: 10 })
  scene.price(gold, 3_000)
  scene.price(aapl, 100)
  scene.hold(1, 3_300, gold)
  scene.hold(30, 110)
  assert.strictEqual(measureOf(scene)?.exposure.instrument.symbol, aapl)
  assert.deepInclude(measureOf(scene)?.measure, { share: 100_000_000 })
})

test("rule 9.7: an account's report for a takeover contains its margin ratio, and limits its loss to its share of the equity", () => {
  for (const [units, equity, ratioE6] of [
    [40, 900, 1_985_294],
    [30, 700, 2_058_823],
    [60, 5_000, 7_352_941]
  ] as const) {
    const scene = make()
    scene.credit(equity)
    scene.price(aapl, 170)
    scene.hold(-units, 170)
    const account = accountOf(scene)
    assert.deepEqual(Liquidation.stand(account, account.exposures.get(aapl)!), {
      accountId: account.accountId,
      position: { ...account.exposures.get(aapl)!.position },
      ratioE6,
      markE8: 17_000_000_000,
      mayLose: Number(usd(equity)),
      provider: null
    })
  }
})

const thresholdsOf = (scene: Scene) => {
  const found: Array<readonly [MarketSymbol, number]> = []
  Headroom.thresholds(accountOf(scene), scene.trader.prices, ({ instrument }, markE8) => {
    found.push([instrument.symbol, markE8])
  })
  return found
}

test("the threshold of a single position is its liquidation price, to a millionth", () => {
  assert.deepEqual(thresholdsOf(longFifty(204)), [[aapl, 19_071_428_577]])
})

test("divides the headroom of two positions so that each can lose the same fraction of its value", () => {
  const scene = longFifty(204)
  scene.price(gold, 3_400)
  scene.hold(-3, 3_400, gold)
  const [long, short] = thresholdsOf(scene)
  // The headroom is 1,300 - 680 - 226.67, divided into 195.84 for a value of 10,200 and 197.49 for 10,200.
  assert.strictEqual(long?.[0], aapl)
  assert.closeTo(long![1] / 1e8, 204 - 393.33 / 2 / 50 / (14 / 15), 0.001)
  assert.closeTo(short![1] / 1e8, 3_400 + 393.33 / 2 / 3 / (46 / 45), 0.01)
})

test("a position without a price is checked at its first price, whatever that price is", () => {
  const scene = make()
  scene.credit(1_000)
  scene.hold(1, 3_400, gold)
  scene.hold(-1, 200)
  assert.deepEqual(thresholdsOf(scene), [
    [gold, Infinity],
    [aapl, 0]
  ])
})

test("rule 4.14: a refusal reports liquidation rather than a fault in the order, but a closed market rather than liquidation", () => {
  const scene = longFifty(190)
  assert.strictEqual(said(scene.enter("BUY", 0.0001, 190)), "USER_IN_LIQUIDATION")
  assert.strictEqual(said(scene.enter("BUY", 1, 190, { type: "STOP_MARKET" })), "USER_IN_LIQUIDATION")
  assert.strictEqual(said(scene.enter("BUY", 1, 3_400, { symbol: gold })), "REJECTED_MARKET_CLOSED")
})
