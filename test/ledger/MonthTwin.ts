/** Twin of a trader, built from the records one at a time. */
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent } from "@venue/domain/Market"
import type { Ratio } from "@venue/domain/Split"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import type { TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as Twin from "./Twin.ts"

/** `marks` are the markets' marks, which the month keeps current. */
export const make = (
  userId: UserId,
  instruments: ReadonlyMap<MarketSymbol, Instrument>,
  marks: Map<string, number>
): Twin.Twin => {
  const twin: Twin.Twin = {
    instruments,
    symbols: [...instruments.keys()],
    deposits: new Map([[primaryAccountOf(userId), 0n]]),
    leverages: new Map(),
    marks,
    tier: { day: 0, volume: 0n },
    orders: [],
    fills: [],
    payments: [],
    rewards: null
  }
  highestLevels(twin, primaryAccountOf(userId))
  return twin
}

/** Applies an event of the trader's own journal. */
export const own = (twin: Twin.Twin, event: TraderEvent): void => {
  const deposit = (accountId: string, amount: bigint) =>
    twin.deposits.set(accountId, (twin.deposits.get(accountId) ?? 0n) + amount)
  switch (event._tag) {
    case "Credited":
      return void deposit(event.accountId, event.amount)
    case "Transferred":
      deposit(event.fromAccountId, -event.amount)
      return void deposit(event.toAccountId, event.amount)
    case "AccountOpened":
      deposit(event.accountId, 0n)
      return highestLevels(twin, event.accountId)
    case "LeverageSet":
      return void twin.leverages.set(`${event.accountId} ${event.symbol}`, event.leverage)
    case "BuilderAppointed":
      twin.rewards ??= 0n
      return
    case "TierSet":
      twin.tier = { day: event.day, volume: event.effectiveVolume }
  }
}

/** Applies an event of a market. */
export const recorded = (twin: Twin.Twin, userId: UserId, instrument: Instrument, event: MarketEvent): void => {
  const { lotE8, symbol } = instrument
  const fills = twin.fills.length
  switch (event._tag) {
    case "Funded":
      return void twin.payments.push({ symbol, fills, perLot: Twin.perLotOfHour(instrument, event) })
    case "DividendPaid":
      return void twin.payments.push({ symbol, fills, perLot: [BigInt(lotE8) * BigInt(event.perUnitE8), 10n ** 10n] })
    case "ContractSplit":
      return restate(twin, symbol, event)
    case "Traded": {
      const { maker, notional, quantityLots: lots, taker } = event
      for (const { fee, order, reward } of [maker, taker]) {
        const { accountId, side } = order
        if (reward?.ownerId === userId) twin.rewards = (twin.rewards ?? 0n) + BigInt(reward.amount)
        if (order.userId !== userId) continue
        twin.fills.push({ accountId, symbol, side, lots, notional, fee })
        if (twin.orders.some(({ orderId }) => orderId === order.orderId.text))
          stands(twin, symbol, order, order.remainingLots > 0)
      }
      return
    }
    case "Accepted":
    case "Modified":
      return event.order.userId === userId ? stands(twin, symbol, event.order, true) : undefined
    case "Ended":
      return event.order.userId === userId ? stands(twin, symbol, event.order, false) : undefined
  }
}

/** Converts to whole new lots, as if earlier quantities had been in new lots. */
function restate(twin: Twin.Twin, symbol: MarketSymbol, { denominator, numerator }: Ratio): void {
  if (denominator !== 1) throw new Error(`the twin knows no split of ${numerator} for ${denominator}`)
  twin.fills.forEach((fill, at) => {
    if (fill.symbol === symbol) twin.fills[at] = { ...fill, lots: fill.lots * numerator }
  })
  twin.payments.forEach((payment, at) => {
    const [amount, parts] = payment.perLot
    if (payment.symbol === symbol) twin.payments[at] = { ...payment, perLot: [amount, parts * BigInt(numerator)] }
  })
}

/** Replaces an open order, or removes it once it has ended. */
function stands(twin: Twin.Twin, symbol: MarketSymbol, order: Order, isOpen: boolean): void {
  const { accountId, orderId, priceTicks, reduceOnly, remainingLots, side, type } = order
  twin.orders = twin.orders.filter((other) => other.orderId !== orderId.text)
  if (!isOpen || isStop(type)) return
  const state = { commandId: "", price: priceTicks, lots: remainingLots }
  const kind = { reduceOnly, rests: true, market: false, accepted: true }
  twin.orders.push({ orderId: orderId.text, accountId, symbol, side, ...kind, states: [state] })
}

/** Sets an account's initial state: the highest leverage in every instrument. */
function highestLevels({ instruments, leverages }: Twin.Twin, accountId: string): void {
  for (const { maxLeverage, symbol } of instruments.values()) leverages.set(`${accountId} ${symbol}`, maxLeverage)
}
