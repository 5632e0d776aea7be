/**
 * The twin's part about positions that the venue ends (rule 9). How much of one is offered on the book, and who gets how
 * much of it off the book, is taken from the engine as marks are; what has to be so of it is said here.
 */
import { divideUp } from "@venue/domain/Decimal"
import type { AccountId } from "@venue/domain/AccountId"
import type { Id } from "@venue/domain/Id"
import { positionLimitUsd } from "@venue/domain/Leverage"
import {
  type CloseTakeovers,
  type DecidedOn,
  type Liquidate,
  type OpenTakeover,
  providerRate,
  type Stand,
  standMillis
} from "@venue/domain/Liquidation"
import type { Accepted, Traded, TraderCommand } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import type { PositionState } from "@venue/domain/Position"
import { type Emit, endStop, leave, match, shrink, shrinkStops } from "./TwinMatch.ts"
import { book, type Holding, holding, isStale, reducible, type Twin, type TwinTakeover } from "./TwinState.ts"
import * as Stops from "./TwinStops.ts"

/** While a takeover is open, its account may only cancel. */
export const isHeldBack = (twin: Twin, { _tag, accountId }: TraderCommand): boolean =>
  isFrozen(twin, accountId) && (_tag === "Place" || _tag === "Modify" || _tag === "Close")

function isFrozen(twin: Twin, accountId: AccountId): boolean {
  return twin.takeovers.some(({ opened }) => opened.accountId === accountId)
}

/** Says whether anything was offered. */
export const slice = (twin: Twin, command: Liquidate, emit: Emit): boolean => {
  const { accountId, commandId, expiresAtMillis, leverage, priceTicks, takerRate, userId } = command
  endAll(twin, accountId, commandId, emit)
  if (!isAsDecided(twin, accountId, command.decidedOn)) return false
  const { quantity } = holding(twin, accountId)
  const heard = twin.heard.find((event): event is Accepted => event._tag === "Accepted")
  const quantityLots = heard?.order.quantityLots ?? 0
  const most = Math.min(command.quantityLots, Math.abs(quantity), roomFor(twin, priceTicks))
  must(Math.abs(quantityLots - most) <= 1, `${quantityLots} lots are offered, and ${most} may be`)
  const order: Order = {
    orderId: orderIdFrom(commandId),
    userId,
    accountId,
    side: quantity > 0 ? "SELL" : "BUY",
    type: "LIMIT",
    timeInForce: "IOC",
    priceTicks,
    quantityLots,
    remainingLots: quantityLots,
    reduceOnly: true,
    clientOrderId: "",
    origin: "LIQUIDATION",
    builderCode: "",
    modified: false,
    updatedAtMillis: twin.timeMillis
  }
  emit({ _tag: "Accepted", commandId, expiresAtMillis, order, makerRate: 0, leverage, atMillis: twin.timeMillis })
  const taker = { order, makerRate: 0, leverage, acceptedNumber: 0, queuedNumber: 0 }
  match(twin, taker, priceTicks, { takerRate, leverage }, (event) => {
    if (event._tag === "Traded") twin.liquidated.push({ atMillis: event.atMillis, notional: event.notional })
    emit(event)
  })
  const { remainingLots } = taker.order
  const status = remainingLots < quantityLots ? "IOC_PARTIALLY_FILLED" : "IOC_CANCELLED"
  if (remainingLots > 0) leave(twin, taker, null, status, emit)
  return true
}

/** Says whether it was opened. */
export const open = (twin: Twin, command: OpenTakeover, emit: Emit): boolean => {
  const { accountId, commandId: takeoverId, decidedOn, expiresAtMillis, share, userId } = command
  endAll(twin, accountId, takeoverId, emit)
  if (!isAsDecided(twin, accountId, decidedOn)) return false
  const { markE8, position } = decidedOn
  const on = { quantityLots: position.quantityLots, markE8, share, atMillis: twin.timeMillis }
  const opened = { _tag: "TakeoverOpened", takeoverId, expiresAtMillis, userId, accountId, ...on } as const
  twin.takeovers.push({ opened, position })
  emit(opened)
  return true
}

/** The trades of one takeover stand before its end in what the engine said. */
export const close = (twin: Twin, { stands }: CloseTakeovers, atMillis: number, emit: Emit): void => {
  const nowMillis = Math.max(twin.timeMillis, atMillis)
  const answered = stands.filter(({ accountId, position }) => isAsSeen(holding(twin, accountId), position))
  let heard = twin.heard
  for (const takeover of twin.takeovers.filter(({ opened }) => opened.atMillis + standMillis <= nowMillis)) {
    twin.timeMillis = nowMillis
    const { accountId, takeoverId, userId } = takeover.opened
    const until = heard.findIndex(({ _tag }) => _tag === "TakeoverClosed")
    const trades = heard.slice(0, until).filter((event): event is Traded => event._tag === "Traded")
    heard = heard.slice(until + 1)
    const isUnmoved = isAsSeen(holding(twin, accountId), takeover.position)
    must(trades.length === 0 || (isUnmoved && mayTrade(twin)), "nothing moves of a position that is another by now")
    inTurn(trades, answered)
    const money = moneyOf(twin, takeover)
    for (const event of trades) move(twin, takeover, event, money, emit)
    twin.takeovers = twin.takeovers.filter((other) => other !== takeover)
    const leftLots = holding(twin, accountId).quantity
    emit({ _tag: "TakeoverClosed", takeoverId, userId, accountId, leftLots, atMillis: twin.timeMillis })
  }
}

/** Providers come first, then those nearest to their own end, then who did not answer. */
function inTurn(trades: ReadonlyArray<Traded>, answered: ReadonlyArray<Stand>): void {
  const turns = trades.map(({ maker, offBook }) => {
    if (offBook === "TAKEOVER") return -Infinity
    return answered.find(({ accountId }) => accountId === maker.order.accountId)?.ratioE6 ?? Infinity
  })
  must(
    turns.every((turn, place) => place === 0 || turns[place - 1]! <= turn),
    "those nearer to their own end come first"
  )
}

interface Money {
  /** For all of its position the account receives this, so that it loses its share of equity. */
  readonly worth: bigint
  /** There is no debt, or the reserve fund can pay it. */
  readonly isCovered: boolean
}

function moneyOf(twin: Twin, { opened: { markE8, quantityLots, share } }: TwinTakeover): Money {
  const value = floor(BigInt(quantityLots) * BigInt(twin.instrument.lotE8) * BigInt(markE8), 10n ** 10n)
  return { worth: value - BigInt(share), isCovered: twin.reserveFund + BigInt(Math.min(0, share)) >= 0n }
}

/** Both sides are booked. The account loses no more and no less than its share, whatever the price; what that leaves is the fund's. */
function move(twin: Twin, { opened }: TwinTakeover, heard: Traded, { isCovered, worth }: Money, emit: Emit): void {
  const { maker, offBook, priceTicks, quantityLots: lots, taker } = heard
  const isLong = opened.quantityLots > 0
  const all = BigInt(Math.abs(opened.quantityLots))
  const left = Math.abs(holding(twin, opened.accountId).quantity)
  const against = reducible(twin, maker.order.accountId, maker.order.side)
  must(maker.order.userId !== opened.userId, "no account of the same user takes anything")
  must(offBook === "TAKEOVER" || lots <= against, "nobody is deleveraged beyond the own position")
  const unit = BigInt(twin.instrument.tickLotMicros)
  const notional = BigInt(priceTicks) * BigInt(lots) * unit
  // Within a tick of the mark, or of the price at which the account has nothing left.
  const [price, fair] = isCovered
    ? [BigInt(priceTicks) * BigInt(twin.instrument.tickE8), BigInt(opened.markE8)]
    : [BigInt(priceTicks) * unit * all, isLong ? worth : -worth]
  const tick = isCovered ? BigInt(twin.instrument.tickE8) : unit * all
  must(price - fair < tick && fair - price < tick, `${priceTicks} is no fair price`)

  const before = all - BigInt(left)
  const received = floor(worth * (before + BigInt(lots)), all) - floor(worth * before, all)
  const takerFee = (isLong ? notional : -notional) - received
  const growing = BigInt(Math.max(0, lots - against)) * BigInt(priceTicks) * unit
  const makerFee = offBook === "TAKEOVER" ? -((growing * BigInt(providerRate)) / 100_000_000n) : 0n
  const fill = (order: Order, remainingLots: number, fee: bigint, marginUsed: number) => {
    const realised = book(holding(twin, order.accountId), order.side, lots, notional, fee)
    return {
      order: { ...order, remainingLots },
      fee: Number(fee),
      realised: Number(realised),
      marginUsed,
      reward: null
    }
  }
  emit({
    ...heard,
    notional: Number(notional),
    maker: fill(maker.order, 0, makerFee, maker.marginUsed),
    taker: fill(taker.order, left - lots, takerFee, 0),
    atMillis: twin.timeMillis
  })
  twin.trades++
  twin.reserveFund += makerFee + takerFee
  must(twin.reserveFund >= 0n, `the reserve fund has ${twin.reserveFund}`)
  shrink(twin, maker.order.accountId, emit)
  shrinkStops(twin, maker.order.accountId, emit)
}

function endAll(twin: Twin, accountId: AccountId, commandId: Id, emit: Emit): void {
  const own = twin.resting.filter(({ order }) => order.accountId === accountId)
  own.sort((a, b) => a.acceptedNumber - b.acceptedNumber)
  for (const resting of own) leave(twin, resting, commandId, "CANCELLED", emit)
  for (const stop of Stops.ofAccount(twin, accountId)) endStop(twin, stop, commandId, emit)
}

function isAsDecided(twin: Twin, accountId: AccountId, { markE8, position }: DecidedOn): boolean {
  const held = holding(twin, accountId)
  return (
    !isFrozen(twin, accountId) &&
    held.quantity !== 0 &&
    twin.prices?.markE8 === markE8 &&
    !isStale(twin, twin.prices, twin.timeMillis) &&
    isAsSeen(held, position)
  )
}

/** Rewards only come in, and so do not count. */
function isAsSeen({ basis, cash, fees, funding, quantity }: Holding, seen: PositionState): boolean {
  return (
    quantity === seen.quantityLots &&
    Number(cash) === seen.cashFlow &&
    Number(basis) === seen.basis &&
    Number(fees) === seen.fees &&
    Number(funding) === seen.funding
  )
}

function mayTrade(twin: Twin): boolean {
  return twin.letsIn === "TRADING" && twin.prices !== undefined && !isStale(twin, twin.prices, twin.timeMillis)
}

/** Of a tenth of the position limit, or 100,000 USD, what the liquidations of the last minute or so have left; a lot at least. */
function roomFor({ instrument, liquidated, prices, timeMillis }: Twin, priceTicks: number): number {
  const tenth = (positionLimitUsd(instrument) * 1e6 * prices!.limitShareBps) / 10_000 / 10
  const counted = liquidated.map(({ atMillis, notional }) => notional * Math.exp((atMillis - timeMillis) / 60_000))
  const room = Math.max(tenth, 100_000e6) - counted.reduce((total, each) => total + each, 0)
  return Math.max(1, Math.floor(room / (priceTicks * instrument.tickLotMicros)))
}

/** Rounds towards minus infinity; `b` is positive. */
function floor(a: bigint, b: bigint): bigint {
  return a >= 0n ? a / b : -divideUp(-a, b)
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}
