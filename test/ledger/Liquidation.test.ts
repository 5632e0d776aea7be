/** Maintenance margin, and what an account in liquidation may still do (rule 9.1). */
import { AccountId } from "@venue/domain/AccountId"
import type { TraderCommand } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, test } from "@effect/vitest"
import { aapl, gold, make, type Scene } from "./Scene.ts"

/** Deposit 1,100, long 50 AAPL at 200, leverage 10: liquidation begins at 8,900 / 46.6667 = 190.714. */
const longFifty = (mark: number): Scene => {
  const scene = make()
  scene.credit(1_100)
  scene.price(aapl, mark)
  scene.hold(50, 200)
  return scene
}

const said = (command: TraderCommand) =>
  command._tag === "Refuse" ? command.status : command._tag === "Place" ? command.finding : command._tag

test("rule 9.1: at 190.71 equity is below the maintenance margin of 635.70, at 190.72 it is above", () => {
  assert.strictEqual(said(longFifty(190.71).enter("BUY", 1, 190)), "USER_IN_LIQUIDATION")
  // Nothing is available all the same.
  assert.strictEqual(said(longFifty(190.72).enter("BUY", 1, 190)), "FAILED_MARGIN_CHECK")
})

test("rule 9.1: at the maintenance margin to the cent it is in liquidation", () => {
  // Of 60 at 200 bought at 210, 800 are left: two thirds of a tenth of 12,000.
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

test("rule 9.1: a short mirrors it, in every symbol of the account", () => {
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

test("rule 9.1: another account of the user trades on", () => {
  const scene = longFifty(186)
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  scene.credit(1_000, UserId.make("sub"))
  assert.isNull(said(scene.enter("BUY", 1, 186, { accountId: AccountId.make("sub") })))
  assert.strictEqual(said(scene.enter("BUY", 1, 186)), "USER_IN_LIQUIDATION")
})

test("rule 9.1: what can only shrink the position is taken: reduce-only, a sell of no more than it, a close", () => {
  const scene = longFifty(190)
  assert.isNull(said(scene.enter("SELL", 50, 190)))
  assert.strictEqual(said(scene.enter("SELL", 0.1, 190)), "USER_IN_LIQUIDATION")
  assert.isNull(said(scene.enter("SELL", 50, 190, { reduceOnly: true })))
  assert.strictEqual(said(scene.closing()), "Close")
})

test("rule 9.1: an order that rests may shrink, and not grow or move", () => {
  const scene = longFifty(204)
  const order = scene.accept(scene.placed("BUY", 1, 198))
  scene.price(aapl, 190)
  assert.strictEqual(said(scene.modification(order, 197, 1)), "USER_IN_LIQUIDATION")
  assert.strictEqual(said(scene.modification(order, 198, 2)), "USER_IN_LIQUIDATION")
  const shrunk = scene.modification(order, 0, 0.5)
  assert.deepInclude(shrunk, { _tag: "Modify", finding: null })
})

test("rule 9.2: at most a fifth above the maintenance margin an account is warned, and at it no more but in liquidation", () => {
  // 1.2 x 50 x mark / 15 = 1,100 - 50 x (200 - mark) at 193.478.
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

test("rule 4.14: it is told before what is wrong with the order, and after that the market is closed", () => {
  const scene = longFifty(190)
  assert.strictEqual(said(scene.enter("BUY", 0.0001, 190)), "USER_IN_LIQUIDATION")
  assert.strictEqual(said(scene.enter("BUY", 1, 190, { type: "STOP_MARKET" })), "USER_IN_LIQUIDATION")
  assert.strictEqual(said(scene.enter("BUY", 1, 3_400, { symbol: gold })), "REJECTED_MARKET_CLOSED")
})
