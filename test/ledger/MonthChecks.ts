/** What is so of a month's markets and ledgers each night, and what their records make of fresh ones. */
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import type { TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as Engine from "@venue/matching/Engine"
import { assert } from "@effect/vitest"
import { emptyEngine } from "../matching/Play.ts"
import type { Month, MonthMarket } from "./Month.ts"
import * as Twin from "./Twin.ts"

/** Every ledger says what the twin makes of the records alone, and no money has come or gone. */
export const assertNight = (month: Month): void => {
  for (const { engine, follower, symbol } of month.markets) {
    assert.strictEqual(Engine.hash(follower), Engine.hash(engine), `I6: ${symbol}`)
  }
  let [equity, positions] = [0n, 0]
  for (const [userId, { trader }] of month.traders) {
    const twin = twinOf(month, userId)
    for (const accountId of Ledger.accountIds(trader)) {
      const balance = Ledger.balance(trader, accountId)!
      assert.deepStrictEqual(balance, Twin.balance(twin, accountId), `I10: ${accountId}`)
      equity += balance.equity
      for (const { quantityLots, symbol } of Ledger.holdings(trader, accountId)) {
        assert.strictEqual(BigInt(quantityLots), Twin.quantity(twin, accountId, symbol))
        positions++
      }
    }
  }
  for (const { engine } of month.markets) {
    const { reserveFund, toppedUp, venueFees } = Engine.totals(engine)
    equity += BigInt(reserveFund + venueFees - toppedUp)
  }
  // The value of each position is rounded down.
  assert.isTrue(equity <= month.credited && equity >= month.credited - BigInt(positions), "I26: money came or went")
}

/** The trader as the records tell it, each read from its beginning. */
function twinOf(month: Month, userId: UserId): Twin.Twin {
  const { instruments, markets, prices } = month
  const { journal, trader } = month.traders.get(userId)!
  const twin: Twin.Twin = {
    instruments,
    symbols: [...instruments.keys()],
    deposits: new Map([[primaryAccountOf(userId), 0n]]),
    leverages: new Map(),
    marks: new Map([...prices].map(([symbol, { freshMarkE8 }]) => [symbol, freshMarkE8])),
    tier: { day: trader.tierDay, volume: 0n },
    orders: [],
    fills: [],
    payments: [],
    rewards: null
  }
  for (const event of journal) own(month, twin, event)
  for (const market of markets) for (const event of market.log) recorded(twin, userId, market, event)
  return twin
}

function own({ instruments }: Month, twin: Twin.Twin, event: TraderEvent): void {
  const deposit = (accountId: string, amount: bigint) =>
    twin.deposits.set(accountId, (twin.deposits.get(accountId) ?? 0n) + amount)
  const levels = (accountId: string) => {
    for (const { maxLeverage, symbol } of instruments.values())
      twin.leverages.set(`${accountId} ${symbol}`, maxLeverage)
  }
  if (twin.leverages.size === 0) levels([...twin.deposits.keys()][0]!)
  switch (event._tag) {
    case "Credited":
      return void deposit(event.accountId, event.amount)
    case "Transferred":
      deposit(event.fromAccountId, -event.amount)
      return void deposit(event.toAccountId, event.amount)
    case "AccountOpened":
      return levels(event.accountId)
    case "LeverageSet":
      return void twin.leverages.set(`${event.accountId} ${event.symbol}`, event.leverage)
    case "BuilderAppointed":
      twin.rewards ??= 0n
  }
}

function recorded(twin: Twin.Twin, userId: UserId, { stream, symbol }: MonthMarket, event: MarketEvent): void {
  const fills = twin.fills.length
  switch (event._tag) {
    case "Funded":
      return void twin.payments.push({ symbol, fills, perLot: Twin.perLotOfHour(stream.instrument, event) })
    case "DividendPaid": {
      const perLot = [BigInt(stream.instrument.lotE8) * BigInt(event.perUnitE8), 10n ** 10n] as const
      return void twin.payments.push({ symbol, fills, perLot })
    }
    case "Traded": {
      const { maker, notional, quantityLots: lots, taker } = event
      for (const { fee, order, reward } of [maker, taker]) {
        const { accountId, side } = order
        if (reward?.ownerId === userId) twin.rewards = (twin.rewards ?? 0n) + BigInt(reward.amount)
        if (order.userId !== userId) continue
        twin.fills.push({ accountId, symbol, side, lots, notional, fee })
        resting(twin, symbol, order, order.remainingLots > 0)
      }
      return
    }
    case "Accepted":
    case "Modified":
      return event.order.userId === userId ? resting(twin, symbol, event.order, true) : undefined
    case "Ended":
      return event.order.userId === userId ? resting(twin, symbol, event.order, false) : undefined
  }
}

/** The order is open as it stands here, or it is open no more. */
function resting(twin: Twin.Twin, symbol: MarketSymbol, order: Order, isOpen: boolean): void {
  const { accountId, orderId, priceTicks, reduceOnly, remainingLots, side, type } = order
  twin.orders = twin.orders.filter((other) => other.orderId !== orderId.text)
  if (!isOpen || isStop(type)) return
  const state = { commandId: "", price: priceTicks, lots: remainingLots }
  const kind = { reduceOnly, rests: true, market: false, accepted: true }
  twin.orders.push({ orderId: orderId.text, accountId, symbol, side, ...kind, states: [state] })
}

/** Fresh machines that are told the records are as those that made them, and so is one that begins at a snapshot. */
export const assertReplayed = (month: Month): void => {
  const { instruments, markets, openInterest, prices, traders } = month
  for (const { engine, log, stream, symbol } of markets) {
    const replayed = emptyEngine(stream)
    for (const event of log) {
      Engine.apply(replayed, event)
      const { cash, positions, reserveFund } = Engine.totals(replayed)
      if (cash !== 0 || positions !== 0 || reserveFund < 0) assert.fail(`I25 I26: after ${JSON.stringify(event)}`)
    }
    assert.strictEqual(Engine.hash(replayed), Engine.hash(engine), `I6: ${symbol}`)
    const restored = Engine.restore(stream.instrument, stream, Engine.snapshot(engine))
    assert.strictEqual(Engine.hash(restored), Engine.hash(engine), `I6: ${symbol} of a snapshot`)
  }
  for (const [userId, { journal, trader }] of traders) {
    const replayed = Ledger.make(userId, instruments, prices, openInterest, Ledger.defaults)
    for (const event of journal) Ledger.apply(replayed, event)
    assert.strictEqual(Ledger.hash(replayed), Ledger.hash(trader), `I6: ${userId}`)
    for (const accountId of Ledger.accountIds(trader)) {
      for (const { engine, symbol } of markets)
        Ledger.adopt(replayed, symbol, accountId, Engine.view(engine, accountId))
      assert.deepStrictEqual(Ledger.balance(replayed, accountId), Ledger.balance(trader, accountId))
    }
  }
}
