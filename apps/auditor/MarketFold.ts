/**
 * Balances in one market, computed from the market's log independently of the matching engine and the ledger:
 * positions and payments of accounts, the venue's fees, the reserve fund, and orders' remaining quantities. Money is
 * in 1e-6 USD.
 */
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import type { Fill, MarketEvent, Traded } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import type { ContractSplit } from "@venue/domain/Split"
import * as Versions from "./Versions.ts"

/** An account's position: signed lots, cash from trades, cost basis, fees paid, funding received, rewards received. */
export type Position = readonly [
  lots: number,
  cash: number,
  basis: number,
  fees: number,
  funding: number,
  rewards: number
]
export const flat: Position = [0, 0, 0, 0, 0, 0]

/** Prints a position for messages about faults. */
export const positionText = ([lots, cash, basis, fees, funding, rewards]: ReadonlyArray<number>): string =>
  `${lots} lots, cash ${cash}, cost basis ${basis}, fees ${fees}, funding ${funding} and builder rewards ${rewards}`

/** Unit of the amounts in messages about faults. */
export const unit = "(amounts in 1e-6 USD)"

/** The market's money outside accounts: the venue's fees, the reserve fund, and the operator's top-ups of the fund. */
export type House = readonly [venueFees: number, reserveFund: number, toppedUp: number]
const nothing: House = [0, 0, 0]

/** Prints a market's money outside accounts for messages about faults. */
export const houseText = ([venueFees, reserveFund, toppedUp]: House): string =>
  `venue fees ${venueFees}, reserve fund ${reserveFund} and top-ups ${toppedUp}`

export interface MarketFold {
  readonly instrument: Instrument
  readonly positions: Versions.Versions<Position>
  readonly house: Versions.Versions<House>
  /** Remaining lots of orders that can still be filled, by order id. */
  readonly remaining: Map<string, number>
  trades: number
  /** Sum of all accounts' lots, which is zero after every row. */
  lots: number
  /** Sum of all accounts' money, the fees and the fund, minus top-ups. This sum is zero after every row. */
  cash: number
}

export const make = (instrument: Instrument): MarketFold => ({
  instrument,
  positions: Versions.make(),
  house: Versions.make(),
  remaining: new Map(),
  trades: 0,
  lots: 0,
  cash: 0
})

const house = "house"
/** The reserve fund's account, for fractions of a lot after a split. */
const fund = "reserve-fund"

export const houseAsOf = (fold: MarketFold, seq: number): House => Versions.asOf(fold.house, house, seq) ?? nothing

export const positionAsOf = (fold: MarketFold, account: string, seq: number): Position =>
  Versions.asOf(fold.positions, account, seq) ?? flat

/** Applies one row's events. Calls `wrong` with each fault. */
export const take = (
  fold: MarketFold,
  events: ReadonlyArray<MarketEvent>,
  seq: number,
  wrong: (fault: string) => void
): void => {
  for (const event of events) {
    switch (event._tag) {
      case "Accepted":
      case "Modified":
      case "Triggered":
        rests(fold, event.order)
        break
      case "Ended":
        fold.remaining.delete(event.order.orderId.text)
        break
      case "Traded":
        traded(fold, event, seq, wrong)
        break
      case "Funded":
        // Longs pay if the rate is positive. Payments round up to 1e-6 USD, and receipts round down.
        if (event.rateE12 !== 0) paid(fold, event, seq, (lots) => -product(fold, lots, event.markE8, event.rateE12), 22)
        break
      case "DividendPaid":
        paid(fold, event, seq, (lots) => product(fold, lots, event.perUnitE8, 1), 10)
        break
      case "ContractSplit":
        split(fold, event, seq)
        break
      case "FundToppedUp": {
        const [venueFees, reserveFund, toppedUp] = houseAsOf(fold, seq)
        Versions.set(fold.house, house, [venueFees, reserveFund + event.amount, toppedUp + event.amount], seq)
        break
      }
      default:
    }
  }
  if (fold.lots !== 0) wrong(`row ${seq}: positions sum to ${fold.lots} lots instead of 0`)
  if (fold.cash !== 0) wrong(`row ${seq}: cash sums to ${fold.cash} (1e-6 USD) instead of 0`)
}

const rests = ({ remaining }: MarketFold, { orderId, remainingLots }: Order): void => {
  remaining.set(orderId.text, remainingLots)
}

const traded = (fold: MarketFold, trade: Traded, seq: number, wrong: (fault: string) => void): void => {
  const { maker, notional, number, offBook, priceTicks, quantityLots, taker } = trade
  const label = `row ${seq}: trade ${number}`
  if (number !== fold.trades + 1) wrong(`${label} follows trade ${fold.trades} instead of trade ${number - 1}`)
  fold.trades = number
  if (notional !== priceTicks * quantityLots * fold.instrument.tickLotMicros)
    wrong(`${label} has a notional that differs from price × quantity`)
  if (maker.order.side === taker.order.side) wrong(`${label} has two ${taker.order.side} sides`)
  for (const side of [taker, maker]) filled(fold, side, trade, seq, label, wrong)
  const fees = taker.fee + maker.fee
  let [venueFees, reserveFund] = [fees, 0]
  if (offBook !== undefined) [venueFees, reserveFund] = [0, fees]
  for (const { reward } of [taker, maker]) {
    if (reward === null) continue
    venueFees -= reward.amount + reward.remainder
    reserveFund += reward.remainder
    const owner = primaryAccountOf(reward.ownerId)
    const [lots, cash, basis, paidFees, funding, rewards] = positionAsOf(fold, owner, seq)
    change(fold, owner, [lots, cash, basis, paidFees, funding, rewards + reward.amount], seq)
  }
  keep(fold, venueFees, reserveFund, seq)
}

const filled = (
  fold: MarketFold,
  { fee, order, realised }: Fill,
  { notional, quantityLots }: Traded,
  seq: number,
  label: string,
  wrong: (fault: string) => void
): void => {
  const { accountId, orderId, remainingLots, side } = order
  const before = positionAsOf(fold, accountId, seq)
  const after = bought(before, side === "BUY" ? quantityLots : -quantityLots, notional, fee)
  if (after[1] + after[2] - before[1] - before[2] !== realised)
    wrong(`${label} has a wrong realised profit for its ${side} side`)
  change(fold, accountId, after, seq)
  const left = fold.remaining.get(orderId.text)
  if (left === undefined ? remainingLots < 0 : remainingLots !== left - quantityLots) {
    wrong(
      `${label} leaves ${remainingLots} lots of order ${orderId.text}, which had ${left ?? "an unknown number of"} lots before`
    )
  }
  if (left === undefined) return
  if (remainingLots === 0) fold.remaining.delete(orderId.text)
  else fold.remaining.set(orderId.text, remainingLots)
}

/**
 * Returns the position after a trade of signed lots. Closed lots take their proportion of the basis, rounded towards
 * zero.
 */
const bought = (
  [held, cash, basis, fees, funding, rewards]: Position,
  lots: number,
  notional: number,
  fee: number
): Position => {
  const cost = lots > 0 ? notional : -notional
  const holds = held + lots
  let left = basis + cost
  if (held !== 0 && held > 0 !== lots > 0) {
    left =
      holds === 0
        ? 0
        : holds > 0 === held > 0
          ? basis - part(basis, Math.abs(lots), Math.abs(held))
          : part(cost, Math.abs(holds), Math.abs(lots))
  }
  return [holds, cash - cost, left, fees + fee, funding, rewards]
}

/** Pays every open position. The rounding remainder goes to the reserve fund. */
const paid = (
  fold: MarketFold,
  { remainder }: { readonly remainder: number },
  seq: number,
  exact: (lots: number) => bigint,
  digits: number
): void => {
  const micro = 10n ** BigInt(digits)
  for (const [account, [lots, cash, basis, fees, funding, rewards]] of fold.positions.current) {
    if (lots === 0) continue
    change(fold, account, [lots, cash, basis, fees, funding + down(exact(lots), micro), rewards], seq)
  }
  keep(fold, 0, remainder, seq)
}

/**
 * Closes each account's fraction of a lot at the mark price. The reserve fund takes over the sum of the fractions in
 * whole lots and pays for it, so that its account holds no cash.
 */
const split = (
  fold: MarketFold,
  { denominator, fundLots, markE8, numerator, remainder }: ContractSplit,
  seq: number
): void => {
  const [over, under] = [BigInt(numerator), BigInt(denominator)]
  for (const [account, [lots, cash, basis, fees, funding, rewards]] of fold.positions.current) {
    const units = BigInt(lots) * over
    if (units === 0n) continue
    const parts = units % under
    const received = down(parts * worth(fold, markE8), under * 10n ** 10n)
    const leaving = Number((BigInt(basis) * parts) / units)
    change(fold, account, [Number(units / under), cash + received, basis - leaving, fees, funding, rewards], seq)
  }
  const cost = down(BigInt(fundLots) * worth(fold, markE8), 10n ** 10n)
  if (fundLots !== 0) {
    const [lots, cash, basis, fees, funding, rewards] = bought(
      positionAsOf(fold, fund, seq),
      fundLots,
      Math.abs(cost),
      0
    )
    change(fold, fund, [lots, cash, basis, fees, funding + cost, rewards], seq)
  }
  keep(fold, 0, remainder - cost, seq)
}

const change = (fold: MarketFold, account: string, after: Position, seq: number): void => {
  const before = fold.positions.current.get(account) ?? flat
  fold.lots += after[0] - before[0]
  fold.cash += moneyOf(after) - moneyOf(before)
  Versions.set(fold.positions, account, after, seq)
}

const moneyOf = ([, cash, , fees, funding, rewards]: Position): number => cash - fees + funding + rewards

const keep = (fold: MarketFold, venueFees: number, reserveFund: number, seq: number): void => {
  const [fees, fundHas, toppedUp] = houseAsOf(fold, seq)
  fold.cash += venueFees + reserveFund
  Versions.set(fold.house, house, [fees + venueFees, fundHas + reserveFund, toppedUp], seq)
}

const worth = ({ instrument }: MarketFold, priceE8: number): bigint => BigInt(instrument.lotE8) * BigInt(priceE8)

const product = (fold: MarketFold, lots: number, priceE8: number, rate: number): bigint =>
  BigInt(lots) * worth(fold, priceE8) * BigInt(rate)

const down = (value: bigint, by: bigint): number => {
  const whole = value / by
  return Number(value % by < 0n ? whole - 1n : whole)
}

/** Returns `amount × of / whole`, rounded towards zero. */
const part = (amount: number, of: number, whole: number): number =>
  Number((BigInt(amount) * BigInt(of)) / BigInt(whole))
