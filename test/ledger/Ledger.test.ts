/** Tests of the trader's own journal: credits, transfers, leverage and accounts. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { flat } from "@venue/domain/Position"
import type { LedgerCommand, LedgerRefusal, TraderEvent } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import { pack, unpack } from "msgpackr"
import { aapl, alice, gold, instruments, make, type Scene, usd } from "./Scene.ts"

const refusal = (result: Result.Result<ReadonlyArray<TraderEvent>, LedgerRefusal>) =>
  Result.isFailure(result) ? result.failure : undefined
const refusedAs = (scene: Scene, command: LedgerCommand) => refusal(scene.ask(command))?._tag
const withSub = () => {
  const scene = make()
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  scene.credit(1_000)
  return scene
}
const transfer = {
  _tag: "Transfer",
  transferId: "t",
  fromAccountId: primaryAccountOf(alice),
  toAccountId: AccountId.make("sub"),
  amount: usd(400)
} as const
const credit = {
  _tag: "Credit",
  creditId: "c",
  accountId: primaryAccountOf(alice),
  amount: usd(5),
  reason: "gift"
} as const
const setLeverage = { _tag: "SetLeverage", accountId: primaryAccountOf(alice), symbol: aapl, leverage: 5 } as const

test("I16: ignores a repeated credit id, even with another amount", () => {
  const scene = make()
  assert.deepStrictEqual(scene.ask(credit), Result.succeed([{ ...credit, _tag: "Credited", atMillis: 1_000 }]))
  assert.deepStrictEqual(scene.ask({ ...credit, amount: usd(7) }), Result.succeed([]))
  assert.strictEqual(scene.balance().deposit, usd(5))
})

test("decide changes no state", () => {
  const scene = make()
  Ledger.decide(scene.trader, credit, 0)
  assert.strictEqual(scene.balance().deposit, 0n)
})

test("refuses a credit of 0 and a credit to an unknown account", () => {
  assert.strictEqual(refusedAs(make(), { ...credit, amount: 0n }), "InvalidAmount")
  assert.strictEqual(refusedAs(make(), { ...credit, accountId: AccountId.make("bob") }), "UnknownAccount")
})

test("I11: limits a negative correction to the available balance, exact to 1e-6 USD", () => {
  const scene = make()
  scene.credit(100)
  scene.price(aapl, 200)
  scene.placed("BUY", 1, 200)
  assert.strictEqual(refusedAs(scene, { ...credit, amount: -usd(80) - 1n }), "InsufficientBalance")
  assert.isUndefined(refusedAs(scene, { ...credit, amount: -usd(80) }))
  assert.strictEqual(scene.balance().available, 0n)
})

test("I17: transfers money between two of a user's accounts once", () => {
  const scene = withSub()
  scene.ask(transfer)
  assert.deepStrictEqual(scene.ask(transfer), Result.succeed([]))
  assert.strictEqual(scene.balance().deposit, usd(600))
  assert.strictEqual(scene.balance(UserId.make("sub")).deposit, usd(400))
})

test("I17: a transfer requires two of the user's accounts and an amount above zero", () => {
  const scene = withSub()
  assert.strictEqual(refusedAs(scene, { ...transfer, toAccountId: primaryAccountOf(alice) }), "SameAccount")
  assert.strictEqual(refusedAs(scene, { ...transfer, toAccountId: AccountId.make("bob") }), "UnknownAccount")
  assert.strictEqual(refusedAs(scene, { ...transfer, fromAccountId: AccountId.make("bob") }), "UnknownAccount")
  assert.strictEqual(refusedAs(scene, { ...transfer, amount: 0n }), "InvalidAmount")
  assert.strictEqual(refusedAs(scene, { ...transfer, amount: -1n }), "InvalidAmount")
})

test("I11: transfers neither margin nor unrealised profit", () => {
  const scene = withSub()
  scene.price(aapl, 200)
  scene.hold(10, 190)
  scene.placed("BUY", 1, 200)
  // The balance is 1,000 + 100 of profit - 200 - 20, of which the profit is not transferable.
  const refused = refusal(scene.ask({ ...transfer, amount: usd(780) + 1n }))
  assert.deepInclude(refused, { _tag: "InsufficientBalance", withdrawable: usd(780), required: usd(780) + 1n })
  assert.isUndefined(refusedAs(scene, { ...transfer, amount: usd(780) }))
  assert.strictEqual(scene.balance().withdrawable, 0n)
})

test("keeps the margin of each account separate", () => {
  const scene = withSub()
  scene.price(aapl, 200)
  assert.strictEqual(scene.placed("BUY", 1, 200, { accountId: AccountId.make("sub") }).finding, "FAILED_MARGIN_CHECK")
  scene.ask(transfer)
  assert.isNull(scene.placed("BUY", 10, 200, { accountId: AccountId.make("sub") }).finding)
  assert.strictEqual(scene.balance().orderMargin, 0n)
  assert.strictEqual(scene.balance(UserId.make("sub")).orderMargin, usd(200))
})

test("starts accounts at maximum leverage, and stores a chosen leverage level per account", () => {
  const scene = withSub()
  assert.strictEqual(Ledger.leverage(scene.trader, primaryAccountOf(alice), aapl), 10)
  scene.ask(setLeverage)
  assert.strictEqual(Ledger.leverage(scene.trader, primaryAccountOf(alice), aapl), 5)
  assert.strictEqual(Ledger.leverage(scene.trader, AccountId.make("sub"), aapl), 10)
})

test("accepts a leverage change only to a valid level of a listed symbol", () => {
  const scene = make()
  assert.strictEqual(refusedAs(scene, { ...setLeverage, symbol: MarketSymbol.make("NONE-USD") }), "UnknownSymbol")
  assert.strictEqual(refusedAs(scene, { ...setLeverage, accountId: AccountId.make("bob") }), "UnknownAccount")
  for (const leverage of [0, 11, 2.5, NaN])
    assert.strictEqual(refusedAs(scene, { ...setLeverage, leverage }), "NotALevel")
  assert.deepStrictEqual(scene.ask({ ...setLeverage, leverage: 10 }), Result.succeed([]))
})

test("refuses a leverage change while the symbol and account have an in-flight command, an open order or a position", () => {
  const scene = withSub()
  scene.price(aapl, 200)
  const command = scene.placed("BUY", 1, 200)
  assert.strictEqual(refusedAs(scene, setLeverage), "LeverageInUse")
  const order = scene.accept(command)
  assert.deepInclude(refusal(scene.ask(setLeverage)), { _tag: "LeverageInUse", openOrders: 1, hasPosition: false })
  scene.trade(order, 1_000, 20_000)
  assert.deepInclude(refusal(scene.ask(setLeverage)), { openOrders: 0, hasPosition: true })
  assert.isUndefined(refusedAs(scene, { ...setLeverage, accountId: AccountId.make("sub") }))
  assert.isUndefined(refusedAs(scene, { ...setLeverage, symbol: MarketSymbol.make("MSFT-USD") }))
  assert.deepStrictEqual(scene.ask({ ...setLeverage, leverage: 10 }), Result.succeed([]))
  scene.hold(-1, 200)
  assert.isUndefined(refusedAs(scene, setLeverage))
})

test("refuses a leverage change while a command that changes no order is in flight", () => {
  const scene = make()
  const refused = scene.enter("BUY", 1.0001, 200)
  assert.strictEqual(refusedAs(scene, setLeverage), "LeverageInUse")
  Ledger.release(scene.trader, aapl, refused.commandId)
  assert.isUndefined(refusedAs(scene, setLeverage))
})

test("limits a user to twenty subaccounts, and opens each once", () => {
  const scene = make()
  for (let index = 1; index <= 20; index++) {
    assert.isUndefined(refusedAs(scene, { _tag: "OpenAccount", accountId: AccountId.make(`sub-${index}`) }))
  }
  assert.strictEqual(refusedAs(scene, { _tag: "OpenAccount", accountId: AccountId.make("sub-21") }), "TooManyAccounts")
  assert.deepStrictEqual(scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub-3") }), Result.succeed([]))
  assert.strictEqual(Ledger.accountIds(scene.trader).length, 21)
})

test("an account keeps its money when it is opened again", () => {
  const scene = withSub()
  scene.ask(transfer)
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  assert.strictEqual(scene.balance(UserId.make("sub")).deposit, usd(400))
})

test("records the arming and the disarming of a connection only once", () => {
  const scene = make()
  const arm = { _tag: "Arm", connectionId: "c1", accountId: primaryAccountOf(alice), armed: true } as const
  const tags = (command: LedgerCommand) => Result.getOrThrow(scene.ask(command)).map(({ _tag }) => _tag)
  assert.deepStrictEqual(tags({ ...arm, armed: false }), [])
  assert.deepStrictEqual(tags(arm), ["Armed"])
  assert.deepStrictEqual(tags(arm), [])
  assert.deepStrictEqual([...Ledger.armed(scene.trader)], [["c1", alice]])
  assert.deepStrictEqual(tags({ ...arm, armed: false }), ["Disarmed"])
  assert.strictEqual(refusedAs(scene, { ...arm, accountId: AccountId.make("bob") }), "UnknownAccount")
})

test("joins a market when the Joined event is applied", () => {
  const { trader } = make()
  assert.isFalse(Ledger.joined(trader, aapl))
  Ledger.apply(trader, { _tag: "Joined", symbol: aapl })
  assert.isTrue(Ledger.joined(trader, aapl))
  assert.deepStrictEqual([...Ledger.symbols(trader)], [aapl])
})

const appoint = { _tag: "AppointBuilder", builderCode: "code", symbols: [aapl] } as const
const provide = { _tag: "AppointProvider", accountId: AccountId.make("sub"), symbols: [gold], limit: 7 } as const
const setTier = { _tag: "SetTier", day: 20_000, effectiveVolume: usd(2_000_000) } as const

test("rule 11.5: sets the tier of a day once, and applies its rates to later orders", () => {
  const scene = withSub()
  scene.price(aapl, 200)
  scene.price(gold, 3_400)
  const rates = (symbol: MarketSymbol, accountId = primaryAccountOf(alice)) => {
    const { makerRate, takerRate } = scene.placed("BUY", 0.1, symbol === aapl ? 200 : 3_400, { symbol, accountId })
    return [makerRate, takerRate]
  }
  const sub = AccountId.make("sub")
  assert.deepStrictEqual(rates(aapl), [20_000, 100_000])
  const tierSet = { day: 20_000, tier: 2, effectiveVolume: usd(2_000_000), atMillis: 1_000 }
  assert.deepStrictEqual(scene.ask(setTier), Result.succeed([{ _tag: "TierSet", ...tierSet }]))
  assert.deepStrictEqual(
    [rates(aapl), rates(gold), rates(aapl, sub)],
    [
      [15_000, 80_000],
      [7_500, 40_000],
      [15_000, 80_000]
    ]
  )
  assert.deepStrictEqual(scene.ask({ ...setTier, effectiveVolume: 0n }), Result.succeed([]))
  assert.deepStrictEqual(scene.ask({ ...setTier, day: 19_999, effectiveVolume: 0n }), Result.succeed([]))
  scene.ask({ ...setTier, day: 20_001, effectiveVolume: 0n })
  assert.deepStrictEqual(rates(aapl), [20_000, 100_000])
})

test("I6: ignores a snapshot of another version", () => {
  const stored = Ledger.snapshot(withSub().trader)
  assert.strictEqual(Ledger.readSnapshot(stored), stored)
  assert.isUndefined(Ledger.readSnapshot({ ...stored, version: 2 }))
})

test("I6: restores the list of markets that a trader has left", () => {
  const scene = withSub()
  Ledger.apply(scene.trader, { _tag: "Joined", symbol: aapl })
  const restored = Ledger.make(alice, instruments, new Map(), OpenInterest.none(), Ledger.defaults)
  Ledger.restore(restored, Ledger.snapshot(scene.trader))
  assert.deepStrictEqual(Ledger.snapshot(restored), Ledger.snapshot(scene.trader))
  const left = Result.getOrThrow(Ledger.decide(restored, { _tag: "LeaveMarkets", symbols: [aapl, gold] }, 7))
  assert.deepStrictEqual(left, [{ _tag: "Left", symbol: aapl, atMillis: 7 }])
  for (const event of left) Ledger.apply(restored, event)
  const again = Ledger.make(alice, instruments, new Map(), OpenInterest.none(), Ledger.defaults)
  Ledger.restore(again, Ledger.snapshot(restored))
  assert.isTrue(Ledger.hasLeft(again, aapl))
  assert.deepStrictEqual([...Ledger.symbols(again)], [aapl])
})

test("gives a builder code's owner rewards of 0 until a market records the code, even after a restore", () => {
  const scene = withSub()
  const registered = { ...appoint, symbols: [] }
  assert.isNull(scene.balance().builderRewards)
  scene.ask(registered)
  assert.strictEqual(scene.balance().builderRewards, 0n)
  assert.deepStrictEqual(scene.ask(registered), Result.succeed([]))
  const restored = Ledger.make(alice, instruments, new Map(), OpenInterest.none(), Ledger.defaults)
  Ledger.restore(restored, Ledger.snapshot(scene.trader))
  assert.strictEqual(Ledger.balance(restored, primaryAccountOf(alice))!.builderRewards, 0n)
  assert.strictEqual(Ledger.hash(restored), Ledger.hash(scene.trader))
  assert.lengthOf(Result.getOrThrow(Ledger.decide(restored, appoint, 0)), 1)
})

test("appoints a builder once for each market, with rewards on the primary account only", () => {
  const scene = withSub()
  scene.ask(appoint)
  assert.deepStrictEqual(scene.ask(appoint), Result.succeed([]))
  scene.ask({ ...appoint, symbols: [aapl, gold] })
  assert.deepStrictEqual(Ledger.snapshot(scene.trader).builderMarkets, [aapl, gold])
  scene.reward(3_060_000)
  scene.reward(612_000, gold)
  assert.deepInclude(scene.balance(), { builderRewards: usd(3.672), available: scene.balance().deposit + usd(3.672) })
  assert.isNull(Ledger.balance(scene.trader, AccountId.make("sub"))!.builderRewards)
  assert.isEmpty(Ledger.holdings(scene.trader, primaryAccountOf(alice)))
})

test("I6: restores the same journal state and hash from a packed snapshot", () => {
  const scene = withSub()
  scene.ask(transfer)
  scene.ask(setLeverage)
  scene.ask({ _tag: "Arm", connectionId: "c1", accountId: AccountId.make("sub"), armed: true })
  Ledger.apply(scene.trader, { _tag: "Joined", symbol: aapl })
  scene.ask(appoint)
  scene.ask(provide)
  scene.ask({ ...credit, amount: 10n ** 30n })
  scene.ask(setTier)
  const restored = Ledger.make(alice, instruments, scene.prices, OpenInterest.none(), Ledger.defaults)
  Ledger.restore(restored, unpack(pack(Ledger.snapshot(scene.trader))))
  assert.deepStrictEqual(Ledger.snapshot(restored), Ledger.snapshot(scene.trader))
  assert.strictEqual(Ledger.hash(restored), Ledger.hash(scene.trader))
  assert.deepStrictEqual(Ledger.balance(restored, primaryAccountOf(alice)), scene.balance())
  assert.deepStrictEqual(Ledger.decide(restored, transfer, 0), Result.succeed([]))
  assert.deepStrictEqual(Ledger.decide(restored, setTier, 0), Result.succeed([]))
  assert.deepStrictEqual(Ledger.decide(restored, provide, 0), Result.succeed([]))
  Ledger.apply(restored, { _tag: "Joined", symbol: MarketSymbol.make("MSFT-USD") })
  assert.notStrictEqual(Ledger.hash(restored), Ledger.hash(scene.trader))
})

test("I6: restores a trader from its journal and its markets' views", () => {
  const scene = withSub()
  scene.price(aapl, 204)
  scene.ask(setLeverage)
  const order = scene.accept(scene.placed("BUY", 2, 198))
  const position = { ...flat(), quantityLots: 3_000, cashFlow: -600_000_000, basis: 600_000_000, fees: 7 }
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), { position, isFrozen: false, orders: [order], stops: [] })
  const restored = Ledger.make(alice, instruments, scene.prices, OpenInterest.none(), Ledger.defaults)
  Ledger.restore(restored, Ledger.snapshot(scene.trader))
  Ledger.adopt(restored, aapl, primaryAccountOf(alice), { position, isFrozen: false, orders: [order], stops: [] })
  assert.deepStrictEqual(Ledger.balance(restored, primaryAccountOf(alice)), scene.balance())
  assert.deepStrictEqual(
    Ledger.holdings(restored, primaryAccountOf(alice)),
    Ledger.holdings(scene.trader, primaryAccountOf(alice))
  )
  assert.deepStrictEqual(
    Ledger.orders(restored, primaryAccountOf(alice)),
    Ledger.orders(scene.trader, primaryAccountOf(alice))
  )
})
