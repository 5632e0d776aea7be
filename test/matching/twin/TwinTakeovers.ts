/** Independent slow implementation of liquidations and takeovers: exact fractions per lot, nothing cached. */
import { AccountId } from "@venue/domain/AccountId"
import { divideUp } from "@venue/domain/Decimal"
import * as ExponentialAverage from "@venue/domain/ExponentialAverage"
import { Id, version4 } from "@venue/domain/Id"
import { positionLimitUsd } from "@venue/domain/Leverage"
import type { CloseTakeovers, DecidedOn, Liquidate, OpenTakeover, Stand } from "@venue/domain/Liquidation"
import type { TraderCommand } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import { digest } from "@venue/matching/orders/TradeId"
import { type Emit, endStop, leave, match, shrink, shrinkStops } from "./TwinMatch.ts"
import { done } from "./TwinOutcome.ts"
import { book, type Holding, holding, isStale, type Resting, type Twin, type TwinTakeover } from "./TwinState.ts"
import * as Stops from "./TwinStops.ts"

export const isOfVenue = ({ _tag }: TraderCommand): boolean => _tag === "Liquidate" || _tag === "OpenTakeover"

/** Returns true if the command is refused because the account's takeover is open. Cancels are always accepted. */
export const isFrozen = ({ takeovers }: Twin, { _tag, accountId }: TraderCommand): boolean =>
  ["Place", "Modify", "Close"].includes(_tag) && takeovers.some((open) => open.command.accountId === accountId)

export const liquidate = (twin: Twin, command: Liquidate, emit: Emit): undefined => {
  endAll(twin, command, emit)
  const { accountId, commandId, expiresAtMillis, leverage, priceTicks, userId } = command
  const { quantity } = holding(twin, accountId)
  const asked = Math.min(command.quantityLots, Math.abs(quantity))
  if (!isSeen(twin, accountId, command.decidedOn) || !isCount(asked) || !isCount(priceTicks))
    return done(twin, command, emit)
  const tenth = (BigInt(positionLimitUsd(twin.instrument)) * 100_000n * BigInt(twin.prices!.limitShareBps)) / 10_000n
  const cap = Number(tenth > 100_000_000_000n ? tenth : 100_000_000_000n)
  const room = Math.floor((cap - counted(twin)) / (priceTicks * twin.instrument.tickLotMicros))
  const size = Math.min(asked, Math.max(1, room))
  const order: Order = {
    ...nameless(twin, accountId, userId, quantity > 0 ? "SELL" : "BUY", size),
    orderId: orderIdFrom(commandId),
    type: "LIMIT",
    priceTicks,
    reduceOnly: true,
    origin: "LIQUIDATION"
  }
  twin.owners.set(accountId, userId)
  emit({ _tag: "Accepted", commandId, expiresAtMillis, order, makerRate: 0, leverage, atMillis: twin.timeMillis })
  const taker: Resting = { order, makerRate: 0, leverage, acceptedNumber: 0, queuedNumber: 0 }
  match(twin, taker, priceTicks, command, (event) => {
    if (event._tag === "Traded") {
      twin.liquidated = { notional: counted(twin) + event.notional, atMillis: twin.timeMillis }
    }
    emit(event)
  })
  const left = taker.order.remainingLots
  if (left > 0) leave(twin, taker, null, left < size ? "IOC_PARTIALLY_FILLED" : "IOC_CANCELLED", emit)
}

export const open = (twin: Twin, command: OpenTakeover, emit: Emit): undefined => {
  endAll(twin, command, emit)
  const { accountId, commandId: takeoverId, decidedOn, expiresAtMillis, share, userId } = command
  if (!isSeen(twin, accountId, decidedOn)) return done(twin, command, emit)
  const held = { ...holding(twin, accountId) }
  const { timeMillis: atMillis } = twin
  twin.takeovers.push({ command, held, atMillis })
  const whose = { takeoverId, expiresAtMillis, userId, accountId }
  emit({ _tag: "TakeoverOpened", ...whose, quantityLots: held.quantity, markE8: decidedOn.markE8, share, atMillis })
}

export const close = (twin: Twin, { stands }: CloseTakeovers, nowMillis: number, emit: Emit): void => {
  const atMillis = Math.max(twin.timeMillis, nowMillis)
  const old = twin.takeovers.filter((open) => open.atMillis + 500 <= atMillis)
  if (old.length === 0) return
  twin.timeMillis = atMillis
  const answers = stands
    .filter((stand) => isTrue(twin, stand))
    .map((stand) => {
      const fallen = BigInt(stand.markE8) - BigInt(twin.prices!.markE8)
      const lost = BigInt(stand.position.quantityLots) * fallen * BigInt(twin.instrument.lotE8)
      return { stand, bought: 0, sold: 0, lost: lost > 0n ? divideUp(lost, 10n ** 10n) : 0n }
    })
  const others = [...twin.holdings]
    .filter(([account, { quantity }]) => quantity !== 0 && !answers.some(({ stand }) => stand.accountId === account))
    .map(([account, { quantity }]) => ({ account: AccountId.make(account), size: Math.abs(quantity) }))
    .sort((a, b) => b.size - a.size || (a.account < b.account ? -1 : 1))
    .map(({ account }) => account)
  for (const each of old) {
    const mayTrade = twin.letsIn === "TRADING" && !isStale(twin, twin.prices!, atMillis)
    const isHeld = isSame(holding(twin, each.command.accountId), each.held)
    const { markE8 } = each.command.decidedOn
    const hasRecovered = isFar(-goneOn(twin, each.held, markE8), markE8)
    if (mayTrade && isHeld && !hasRecovered) pass(twin, each, answers, others, emit)
    giveUp(twin, each, emit)
  }
}

/** Ends all open takeovers without a transfer. */
export const giveUpAll = (twin: Twin, emit: Emit): void => {
  for (const each of twin.takeovers) giveUp(twin, each, emit)
}

interface Answer {
  readonly stand: Stand
  bought: number
  sold: number
  lost: bigint
}

/**
 * Transfers a takeover's position to other accounts, as far as they can take it. Amounts are in 1e-6 USD, multiplied
 * by the divisors.
 */
function pass(
  twin: Twin,
  { command, held }: TwinTakeover,
  answers: ReadonlyArray<Answer>,
  others: ReadonlyArray<AccountId>,
  emit: Emit
): void {
  const { instrument } = twin
  const { accountId, commandId, decidedOn, share, userId } = command
  const isLong = held.quantity > 0
  const sign = isLong ? 1n : -1n
  const lots = BigInt(Math.abs(held.quantity))
  const value = floor(BigInt(held.quantity) * BigInt(instrument.lotE8) * BigInt(decidedOn.markE8), 10n ** 10n)
  const due = value - BigInt(share)
  const fund = twin.reserveFund
  const isCovered = share >= 0 || fund + BigInt(share) >= 0n
  const [dividend, divisor] = isCovered
    ? [BigInt(decidedOn.markE8), BigInt(instrument.tickE8)]
    : [sign * due, lots * BigInt(instrument.tickLotMicros)]
  const [below, above] = [floor(dividend, divisor), -floor(-dividend, divisor)]
  const [ours, theirs] = isLong ? [above, below] : [below, above]
  if (ours < 1n || ours >= 0x7fffffffn) return
  const order = {
    ...nameless(twin, accountId, userId, isLong ? "SELL" : "BUY", Number(lots)),
    origin: "LIQUIDATION"
  } as const
  let [closed, paid, grown] = [0n, 0n, 0n]
  /** Returns true if the fund can pay for these further lots, some of which grow a provider's position. */
  const isAffordable = (price: bigint, more: number, growing: number): boolean => {
    const each = price * BigInt(instrument.tickLotMicros)
    const gone = closed + BigInt(more)
    const income = share < 0 ? BigInt(share) * lots : BigInt(share) * gone
    const gained = (paid + sign * each * BigInt(more)) * lots - value * gone
    const fees = 25n * (grown + each * BigInt(growing)) * lots
    return (fund * lots + income + gained) * 10_000n >= fees
  }
  const sell = (
    offBook: "TAKEOVER" | "DELEVERAGING",
    to: AccountId,
    owner: string,
    price: bigint,
    size: number,
    growing: number,
    leverage: number
  ) => {
    const each = price * BigInt(instrument.tickLotMicros)
    const notional = each * BigInt(size)
    const before = floor(due * closed, lots)
    closed += BigInt(size)
    paid += sign * notional
    grown += each * BigInt(growing)
    const fee = sign * notional - (floor(due * closed, lots) - before)
    const rebate = (each * BigInt(growing) * 25n) / 10_000n
    const realised = book(holding(twin, accountId), order.side, size, notional, fee)
    const origin = offBook === "TAKEOVER" ? "LIQUIDATION" : "ADL"
    const part = { ...nameless(twin, to, UserId.make(owner), isLong ? "BUY" : "SELL", size), origin } as const
    const gained = book(holding(twin, to), part.side, size, notional, -rebate)
    twin.owners.set(to, owner)
    twin.reserveFund += fee - rebate
    twin.trades++
    const marginUsed = Number(divideUp(each * BigInt(growing), BigInt(leverage)))
    const maker = {
      order: named({ ...part, remainingLots: 0 }, commandId),
      fee: Number(-rebate),
      realised: Number(gained),
      marginUsed,
      reward: null
    }
    const left = { ...order, remainingLots: Number(lots - closed) }
    const taker = {
      order: named(left, commandId),
      fee: Number(fee),
      realised: Number(realised),
      marginUsed: 0,
      reward: null
    }
    const trade = {
      tradeId: commandId,
      number: 0,
      priceTicks: Number(price),
      quantityLots: size,
      notional: Number(notional)
    }
    emit({ _tag: "Traded", ...trade, maker, taker, offBook, atMillis: twin.timeMillis })
    shrink(twin, to, emit)
    shrinkStops(twin, to, emit)
  }
  const against = (account: AccountId) => Math.max(0, (isLong ? -1 : 1) * holding(twin, account).quantity)
  /** Cost per lot to the other side if it trades at a price instead of the mark, in 1e-6 USD times 1e10. */
  const now = BigInt(twin.prices!.markE8)
  const costOf = (price: bigint) => {
    const priceE8 = price * BigInt(instrument.tickE8)
    return (isLong ? priceE8 - now : now - priceE8) * BigInt(instrument.lotE8)
  }
  const sellTo = (offBook: "TAKEOVER" | "DELEVERAGING", answer: Answer, size: number, growing: number) => {
    const { accountId: to, provider, userId: owner } = answer.stand
    if (isLong) answer.bought += size
    else answer.sold += size
    const cost = costOf(ours) * BigInt(size)
    if (cost > 0n) answer.lost += divideUp(cost, 10n ** 10n)
    sell(offBook, to, owner, ours, size, growing, provider?.leverage ?? 1)
  }
  const left = () => Number(lots - closed)
  const isOther = ({ stand }: Answer) => stand.userId !== userId

  if (isCovered && !isFar(goneOn(twin, held, decidedOn.markE8), decidedOn.markE8)) {
    const wanted = ({ bought, sold, stand }: Answer) =>
      isLong ? stand.provider!.buysLots - bought : stand.provider!.sellsLots - sold
    const providers = answers
      .filter((answer) => answer.stand.provider !== null && answer.stand.provider.freeMargin > 0 && isOther(answer))
      .filter((answer) => wanted(answer) > 0)
      .sort(
        (a, b) =>
          b.stand.provider!.freeMargin - a.stand.provider!.freeMargin ||
          (a.stand.accountId < b.stand.accountId ? -1 : 1)
      )
    const margins = providers.reduce((sum, { stand }) => sum + BigInt(stand.provider!.freeMargin), 0n)
    const parts = providers.map((answer) =>
      Math.min(wanted(answer), Number((lots * BigInt(answer.stand.provider!.freeMargin)) / margins))
    )
    let rest = Number(lots)
    for (const part of parts) rest -= part
    providers.forEach((answer, place) => {
      const more = Math.min(rest, wanted(answer) - parts[place]!)
      rest -= more
      const free = against(answer.stand.accountId)
      const growth = (size: number) => Math.max(0, size - free)
      const size = largest(parts[place]! + more, (size) => isAffordable(ours, size, growth(size)))
      if (size > 0) sellTo("TAKEOVER", answer, size, growth(size))
    })
  }
  const ranked = [...answers].sort(
    ({ stand: a }, { stand: b }) =>
      a.ratioE6 - b.ratioE6 ||
      Math.abs(b.position.quantityLots) - Math.abs(a.position.quantityLots) ||
      (a.accountId < b.accountId ? -1 : 1)
  )
  for (const answer of ranked.filter(isOther)) {
    const bears = (size: number) =>
      costOf(ours) * BigInt(size) <= (BigInt(answer.stand.mayLose) - answer.lost) * 10n ** 10n
    const most = Math.min(left(), against(answer.stand.accountId))
    const size = costOf(ours) > 0n ? largest(most, bears) : most
    if (size > 0) sellTo("DELEVERAGING", answer, size, 0)
  }
  if (!isCovered || theirs < 1n || costOf(theirs) > 0n) return
  for (const other of others) {
    const owner = twin.owners.get(other)!
    if (owner === userId) continue
    const size = largest(Math.min(left(), against(other)), (size) => isAffordable(theirs, size, 0))
    if (size > 0) sell("DELEVERAGING", other, owner, theirs, size, 0, 1)
  }
}

/** Returns the largest number up to `most` that satisfies `holds`, which is monotonic. */
function largest(most: number, holds: (size: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function floor(dividend: bigint, divisor: bigint): bigint {
  return (dividend - (((dividend % divisor) + divisor) % divisor)) / divisor
}

function giveUp(twin: Twin, open: TwinTakeover, emit: Emit): void {
  const { accountId, commandId: takeoverId, userId } = open.command
  twin.takeovers = twin.takeovers.filter((other) => other !== open)
  const leftLots = holding(twin, accountId).quantity
  emit({ _tag: "TakeoverClosed", takeoverId, userId, accountId, leftLots, atMillis: twin.timeMillis })
}

function endAll(twin: Twin, { accountId, commandId }: Liquidate | OpenTakeover, emit: Emit): void {
  const own = twin.resting.filter(({ order }) => order.accountId === accountId)
  for (const resting of own.sort((a, b) => a.acceptedNumber - b.acceptedNumber))
    leave(twin, resting, commandId, "CANCELLED", emit)
  for (const stop of Stops.ofAccount(twin, accountId)) endStop(twin, stop, commandId, emit)
}

function isSeen(twin: Twin, accountId: AccountId, { markE8, position }: DecidedOn): boolean {
  const { prices } = twin
  if (prices === undefined || isStale(twin, prices, twin.timeMillis)) return false
  if (twin.takeovers.some(({ command }) => command.accountId === accountId)) return false
  const held = holding(twin, accountId)
  const gone = goneOn(twin, held, markE8)
  if (gone < 0n || isFar(gone, markE8)) return false
  return held.quantity !== 0 && isSame(held, asHolding(position))
}

/** Loss per unit since a desk saw this mark. */
function goneOn({ prices }: Twin, { quantity }: Holding, markE8: number): bigint {
  return BigInt(Math.sign(quantity)) * (BigInt(markE8) - BigInt(prices!.markE8))
}

/** Returns true if the difference is more than 25 basis points of the mark. */
function isFar(by: bigint, markE8: number): boolean {
  return by * 10_000n > 25n * BigInt(markE8)
}

function isTrue(twin: Twin, { accountId, markE8, mayLose, position, provider, ratioE6 }: Stand): boolean {
  const counts =
    provider === null ? [] : [provider.buysLots, provider.sellsLots, provider.freeMargin, provider.leverage - 1]
  if (![markE8, mayLose, ...counts].every((count) => Number.isSafeInteger(count) && count >= 0)) return false
  return Number.isSafeInteger(ratioE6) && isSame(holding(twin, accountId), asHolding(position))
}

function asHolding({ basis, cashFlow, fees, funding, quantityLots }: DecidedOn["position"]): Holding {
  const money = { cash: BigInt(cashFlow), basis: BigInt(basis), fees: BigInt(fees), funding: BigInt(funding) }
  return { quantity: quantityLots, ...money, rewards: 0n }
}

/** Compares holdings without rewards. */
function isSame(one: Holding, other: Holding): boolean {
  return (["quantity", "cash", "basis", "fees", "funding"] as const).every((key) => one[key] === other[key])
}

function counted({ liquidated, timeMillis }: Twin): number {
  return ExponentialAverage.step(liquidated.notional, 0, timeMillis - liquidated.atMillis, 60_000)
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value < 2 ** 31 - 1
}

/** Returns the internal order for one part of a takeover. */
export function nameless(
  twin: Twin,
  accountId: AccountId,
  userId: UserId,
  side: Order["side"],
  quantityLots: number
): Order {
  return {
    orderId: orderIdFrom(new Id(0, 0, 0, 0)),
    userId,
    accountId,
    side,
    type: "MARKET",
    timeInForce: "IOC",
    priceTicks: 0,
    quantityLots,
    remainingLots: quantityLots,
    reduceOnly: false,
    clientOrderId: "",
    origin: "ADL",
    builderCode: "",
    modified: false,
    updatedAtMillis: twin.timeMillis
  }
}

export function named(order: Order, { a, b, c, d }: Id): Order {
  const text = `${order.origin} ${order.accountId}`
  const orderId = orderIdFrom(
    version4(a ^ digest(text, 1), b ^ digest(text, 2), c ^ digest(text, 3), d ^ digest(text, 4))
  )
  return { ...order, orderId }
}
