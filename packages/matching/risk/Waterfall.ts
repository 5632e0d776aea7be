/**
 * Transfer of a position off the book. A loss is borne first by the account's own money, then by the market's reserve
 * fund, then by the accounts on the other side (I28). No account goes below zero.
 */
import { divideUp, mulDivDown, rateScale } from "@venue/domain/Decimal"
import type { OffBook } from "@venue/domain/Execution"
import { notional, valueDown } from "@venue/domain/Instrument"
import { providerRate } from "@venue/domain/Liquidation"
import type { Order } from "@venue/domain/Order"
import { affordable, partOf, proRata } from "./Allocation.ts"
import { heldAgainst, isCount } from "../orders/Checks.ts"
import * as Counterparties from "./Counterparties.ts"
import { moveSince } from "./Liquidation.ts"
import type { Events, Market, Takeover } from "../Market.ts"
import * as OffBookTrade from "./OffBookTrade.ts"
import type { Account } from "../state/Participants.ts"

/**
 * Transfers the lots that counterparties take, up to the event limit; all other lots stay with the account. Returns
 * true if there was no debt or the reserve fund covered it.
 */
export const pass = (
  market: Market,
  account: Account,
  takeover: Takeover,
  counterparties: Counterparties.Counterparties,
  untilEvents: number,
  events: Events
): boolean => {
  const passing = begin(market, account, takeover, untilEvents, events)
  // The bankruptcy price might not be a valid price.
  if (!isCount(passing.priceTicks)) return passing.isCovered
  if (passing.isCovered && !hasMarkMoved(passing)) provide(passing, counterparties.providers)
  deleverage(passing, counterparties)
  if (passing.isCovered) deleverageSilent(passing, counterparties.silent)
  return passing.isCovered
}

interface Passing {
  readonly market: Market
  readonly account: Account
  readonly takeover: Takeover
  readonly untilEvents: number
  readonly events: Events
  readonly isLong: boolean
  readonly lots: number
  readonly value: number
  /**
   * Amount, including fees, for the account's whole position, at which the account loses exactly its share of equity.
   */
  readonly worth: number
  /**
   * True if there is no debt or the reserve fund can pay all of it. The position is then transferred at the mark
   * price, otherwise at the bankruptcy price.
   */
  readonly isCovered: boolean
  readonly priceTicks: number
  /** The account's own order, with its remaining quantity. */
  order: Order
  /**
   * Amount that the reserve fund can still spend after its outstanding part of the debt, times `lots` and the rate
   * scale.
   */
  spare: bigint
}

function begin(market: Market, account: Account, takeover: Takeover, untilEvents: number, events: Events): Passing {
  const { instrument, participants } = market
  const { markE8, quantityLots, share, takeoverId } = takeover.opened
  const isLong = quantityLots > 0
  const lots = Math.abs(quantityLots)
  const value = valueDown(instrument, quantityLots, markE8)
  const worth = value - share
  const spare = participants.totals.reserveFund + Math.min(0, share)
  const isCovered = spare >= 0
  const bankruptTicks = (isLong ? worth : -worth) / notional(instrument, 1, lots)
  return {
    market,
    account,
    takeover,
    untilEvents,
    events,
    isLong,
    lots,
    value,
    worth,
    isCovered,
    // Rounded in the account's favour; the account's fees recover the excess.
    priceTicks: whole(isCovered ? markE8 / instrument.tickE8 : bankruptTicks, isLong),
    order: OffBookTrade.orderOf(market, account, takeoverId, "LIQUIDATION", isLong ? "SELL" : "BUY", lots),
    spare: BigInt(spare) * BigInt(lots) * scale
  }
}

/** Returns true if taking over at this price would cost a provider more than its fee, because the mark has moved on. */
function hasMarkMoved({ isLong, market, takeover }: Passing): boolean {
  return moveSince(market.prices!.markE8, takeover.opened.markE8, isLong) === "GONE_ON"
}

/**
 * Divides the lots among providers in proportion to free margin, as far as the fund can pay the fee. Lots that reduce
 * a provider's position earn no fee.
 */
function provide(passing: Passing, providers: ReadonlyArray<Counterparties.Counterparty>): void {
  const { account, isLong, lots, market, priceTicks } = passing
  const willing = providers.filter((provider) => provider.account.user !== account.user && wanted(provider, isLong) > 0)
  const parts = proRata(
    lots,
    willing.map((provider) => ({
      weight: provider.stand.provider!.freeMargin,
      mostLots: wanted(provider, isLong)
    }))
  )
  const gain = gainOf(passing, priceTicks)
  const paid = BigInt(providerRate) * BigInt(lots) * BigInt(notional(market.instrument, priceTicks, 1))
  willing.forEach((provider, place) => {
    const part = parts[place]!
    const shrinking = Math.min(part, Math.max(0, heldAgainst(provider.account, !isLong)))
    const spare = passing.spare + gain * BigInt(shrinking)
    const growing = affordable(spare, gain - paid, part - shrinking)
    if (shrinking + growing === 0 || isFull(passing)) return
    passing.spare = spare + (gain - paid) * BigInt(growing)
    moveTo(passing, "TAKEOVER", shrinking + growing, growing, provider)
  })
}

function deleverage(passing: Passing, counterparties: Counterparties.Counterparties): void {
  const { account, isLong, market, priceTicks } = passing
  const gain = gainOf(passing, priceTicks)
  const beyondE8 = beyondMarkE8(passing, priceTicks)
  const perLotE16 = beyondE8 > 0 ? lossE16(market, beyondE8) : 0n
  for (const counterparty of beyondE8 > 0 ? Counterparties.bearing(counterparties) : counterparties.answered) {
    if (passing.order.remainingLots === 0 || isFull(passing)) return
    const held = heldAgainst(counterparty.account, !isLong)
    if (held <= 0 || counterparty.account.user === account.user) continue
    const lots = Math.min(passing.order.remainingLots, held, bearable(counterparty, perLotE16))
    if (lots <= 0) continue
    passing.spare += gain * BigInt(lots)
    moveTo(passing, "DELEVERAGING", lots, 0, counterparty)
  }
}

/**
 * Deleverages accounts whose desks did not respond. How much they can lose is unknown, so they must lose nothing: the
 * price is rounded in their favour, as far as the fund can pay.
 */
function deleverageSilent(passing: Passing, silent: ReadonlyArray<Account>): void {
  const { account, isLong, market, takeover } = passing
  const priceTicks = whole(takeover.opened.markE8 / market.instrument.tickE8, !isLong)
  if (!isCount(priceTicks) || beyondMarkE8(passing, priceTicks) > 0) return
  const gain = gainOf(passing, priceTicks)
  for (const other of silent) {
    if (passing.order.remainingLots === 0 || isFull(passing)) return
    if (other.user === account.user) continue
    const most = Math.min(passing.order.remainingLots, heldAgainst(other, !isLong))
    const lots = affordable(passing.spare, gain, most)
    if (lots <= 0) continue
    passing.spare += gain * BigInt(lots)
    move(passing, "DELEVERAGING", priceTicks, lots, 0, other, 1)
  }
}

const scale = BigInt(rateScale)

function move(
  passing: Passing,
  offBook: OffBook,
  priceTicks: number,
  lots: number,
  growingLots: number,
  maker: Account,
  leverage: number
): void {
  const { account, events, isLong, market, order, takeover, worth } = passing
  const { instrument } = market
  const money = notional(instrument, priceTicks, lots)
  const before = passing.lots - order.remainingLots
  const received = partOf(worth, before + lots, passing.lots) - partOf(worth, before, passing.lots)
  const growing = notional(instrument, priceTicks, growingLots)
  const origin = offBook === "TAKEOVER" ? "LIQUIDATION" : "ADL"
  passing.order = OffBookTrade.trade(
    market,
    {
      offBook,
      priceTicks,
      lots,
      taker: order,
      takerAccount: account,
      takerFee: (isLong ? money : -money) - received,
      maker: OffBookTrade.orderOf(market, maker, takeover.opened.takeoverId, origin, isLong ? "BUY" : "SELL", lots),
      makerAccount: maker,
      makerFee: 0 - mulDivDown(growing, providerRate, rateScale),
      makerMargin: Math.ceil(growing / leverage)
    },
    events
  )
}

function moveTo(
  passing: Passing,
  offBook: OffBook,
  lots: number,
  growingLots: number,
  counterparty: Counterparties.Counterparty
): void {
  const { isLong, market, priceTicks } = passing
  const beyondE8 = beyondMarkE8(passing, priceTicks)
  if (isLong) counterparty.bought += lots
  else counterparty.sold += lots
  if (beyondE8 > 0) counterparty.lost += Number(divideUp(lossE16(market, beyondE8) * BigInt(lots), perMoney))
  move(
    passing,
    offBook,
    priceTicks,
    lots,
    growingLots,
    counterparty.account,
    counterparty.stand.provider?.leverage ?? 1
  )
}

/** Returns the change of `spare` per transferred lot at this price, in the unit of `spare`. */
function gainOf({ isLong, lots, market, takeover, value }: Passing, priceTicks: number): bigint {
  const each = notional(market.instrument, priceTicks, isLong ? lots : -lots)
  return BigInt(Math.max(0, takeover.opened.share) + each - value) * scale
}

/** Returns the lots that a provider is willing to take. */
function wanted({ bought, sold, stand: { provider } }: Counterparties.Counterparty, isLong: boolean): number {
  return isLong ? provider!.buysLots - bought : provider!.sellsLots - sold
}

/** Returns the lots that an account can bear at a price worse than the mark. */
function bearable({ lost, stand }: Counterparties.Counterparty, perLotE16: bigint): number {
  if (perLotE16 === 0n) return Infinity
  return Number((BigInt(stand.mayLose - lost) * perMoney) / perLotE16)
}

/** Returns how much worse than the mark the price is for the other side, in 1e-8 USD. */
function beyondMarkE8({ isLong, market }: Passing, priceTicks: number): number {
  const beyondE8 = priceTicks * market.instrument.tickE8 - market.prices!.markE8
  return isLong ? beyondE8 : -beyondE8
}

/** Returns the loss per lot, in 1e-16 USD. */
function lossE16({ instrument }: Market, beyondE8: number): bigint {
  return BigInt(beyondE8) * BigInt(instrument.lotE8)
}

const perMoney = 10_000_000_000n

function isFull({ events, untilEvents }: Passing): boolean {
  return events.length >= untilEvents
}

function whole(ticks: number, isUp: boolean): number {
  return isUp ? Math.ceil(ticks) : Math.floor(ticks)
}
