/**
 * What becomes of an account whose equity has come down to the maintenance margin of its positions (rule 9): what the venue
 * does next, and what an account may do for another one's takeover. Refresh an account first.
 */
import { divideUp, rateScale } from "@venue/domain/Decimal"
import type { Instrument } from "@venue/domain/Instrument"
import type { DecidedOn, Liquidate, OpenTakeover, Stand } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type Account, available, isFrozen, refresh } from "./Account.ts"
import * as Exposure from "./Exposure.ts"
import * as Provider from "./Provider.ts"
import { send, type Trader } from "./Trader.ts"

/** Says whether equity has come down to the maintenance margin (rule 9.1). */
export const isInLiquidation = (account: Account): boolean => {
  // The maintenance margin is two thirds of the initial one, so while something is available it is not reached.
  if (available(account) > 0n) return false
  const margin = maintenanceMargin(account)
  return margin > 0n && account.equity <= margin
}

/** Counts the accounts of a trader that are in liquidation, and those that are warned of it (rule 9.2). */
export const atRisk = (trader: Trader): { readonly warned: number; readonly inLiquidation: number } => {
  let warned = 0
  let inLiquidation = 0
  for (const account of trader.accounts.values()) {
    refresh(account, trader.prices)
    if (isInLiquidation(account)) inLiquidation++
    else if (isWarned(account)) warned++
  }
  return { warned, inLiquidation }
}

/** Gives what the account must keep, in 1e-6 USD. */
export const maintenanceMargin = (account: Account): bigint => {
  let total = 0n
  for (const exposure of account.exposures.values()) total += BigInt(Exposure.maintenanceMargin(exposure))
  return total
}

type Envelope = "commandId" | "expiresAtMillis" | "traderEpoch" | "userId" | "accountId"

/** What is done about an account in one market, without the id and the expiry that it gets. */
export type Measure = Omit<Liquidate, Envelope> | Omit<OpenTakeover, Envelope>

export interface NextMeasure {
  readonly exposure: Exposure.Exposure
  readonly measure: Measure
}

/**
 * Gives what is done next, in one market at a time: that of the largest maintenance margin among those that `isOpen` says
 * are traded at a fresh price, and of two the first by symbol. Nothing is done about an account that is not in liquidation,
 * nor while a position of it is frozen.
 */
export const measure = (account: Account, isOpen: (symbol: MarketSymbol) => boolean): NextMeasure | undefined => {
  if (!isInLiquidation(account) || isFrozen(account)) return undefined
  const exposure = largest(account, isOpen)
  if (exposure === undefined) return undefined
  const isOnBook = 3n * account.equity > 2n * maintenanceMargin(account)
  return { exposure, measure: isOnBook ? slice(account, exposure) : takeover(account, exposure) }
}

/** Makes it a command, and notes that as on its way. */
export const enterMeasure = (
  trader: Trader,
  account: Account,
  { exposure, measure }: NextMeasure,
  envelope: Pick<Liquidate, "commandId" | "expiresAtMillis" | "traderEpoch">
): Liquidate | OpenTakeover => {
  send(trader, account, exposure, envelope.commandId.text, "")
  return { ...measure, ...envelope, userId: trader.userId, accountId: account.accountId }
}

/** Lists the markets where the account has orders or stops, or may have them once what is on its way has come. */
export const ordered = ({ exposures }: Account): ReadonlyArray<MarketSymbol> =>
  [...exposures].filter(([, { holds, stops }]) => holds.size > 0 || stops.size > 0).map(([symbol]) => symbol)

/**
 * Gives what the account can do for takeovers in a market: one without a position there may be a provider all the same, which
 * pays with what is unused.
 */
export const stand = (
  account: Account,
  exposure: Exposure.Exposure,
  unused = available(account)
): Omit<Stand, "userId"> => ({
  accountId: account.accountId,
  position: { ...exposure.position },
  ratioE6: ratioE6(account),
  markE8: exposure.markE8,
  mayLose: Math.max(0, shareOf(account, exposure)),
  provider: Provider.part(account, exposure, unused)
})

function largest({ exposures }: Account, isOpen: (symbol: MarketSymbol) => boolean): Exposure.Exposure | undefined {
  let found: Exposure.Exposure | undefined
  let most = 0
  for (const [symbol, exposure] of exposures) {
    const margin = Exposure.maintenanceMargin(exposure)
    if (margin === 0 || margin < most || !isOpen(symbol)) continue
    if (found !== undefined && margin === most && symbol > found.instrument.symbol) continue
    found = exposure
    most = margin
  }
  return found
}

/**
 * The least quantity that brings equity back to 5/4 of the maintenance margin if all of it fills at its limit (rule 9.4):
 * `q >= (k MM - E) / (M (k MMR - s - f))` with k = 5/4, `MMR = 2 / 3L`, `s = 2 / 9Lmax` and f the taker rate, rounded up.
 */
function slice(account: Account, exposure: Exposure.Exposure): Measure {
  const { instrument, leverage, markE8, position, rates, valuation } = exposure
  const [level, maxLevel, rate] = [BigInt(leverage), BigInt(instrument.maxLeverage), BigInt(rates.taker)]
  const scale = BigInt(rateScale)
  // Both are multiplied by 36 L Lmax and by the scale of the rate, so that they are whole.
  const missing = (5n * maintenanceMargin(account) - 4n * account.equity) * 9n * level * maxLevel * scale
  const gained = 2n * (15n * maxLevel * scale - 4n * level * scale - 18n * level * maxLevel * rate)
  const held = Math.abs(position.quantityLots)
  const perLot = BigInt(valuation.factor) * BigInt(markE8) * gained
  const lots = gained > 0n ? divideUp(missing * BigInt(valuation.divisor), perLot) : BigInt(held)
  return {
    _tag: "Liquidate",
    decidedOn: decidedOn(exposure),
    takerRate: rates.taker,
    leverage,
    quantityLots: lots < BigInt(held) ? Number(lots) : held,
    priceTicks: limitTicks(instrument, markE8, position.quantityLots > 0)
  }
}

/** The limit of a slice is a third of the maintenance margin rate at the highest level off the mark, rounded towards it. */
function limitTicks({ maxLeverage, tickE8 }: Instrument, markE8: number, isLong: boolean): number {
  const ninths = 9n * BigInt(maxLeverage)
  const [mark, scale] = [BigInt(markE8), ninths * BigInt(tickE8)]
  return Number(isLong ? divideUp(mark * (ninths - 2n), scale) : (mark * (ninths + 2n)) / scale)
}

function takeover(account: Account, exposure: Exposure.Exposure): Measure {
  return { _tag: "OpenTakeover", decidedOn: decidedOn(exposure), share: shareOf(account, exposure) }
}

function decidedOn({ markE8, position }: Exposure.Exposure): DecidedOn {
  return { position: { ...position }, markE8 }
}

/** Gives the part of the account's equity that belongs to a position, as its part of the maintenance margin; rounded down. */
function shareOf(account: Account, exposure: Exposure.Exposure): number {
  const margin = Exposure.maintenanceMargin(exposure)
  return margin === 0 ? 0 : Number(divideDown(account.equity * BigInt(margin), maintenanceMargin(account)))
}

/** Rounds down; above what a number can count it stays there, as it is without any position. */
function ratioE6(account: Account): number {
  const margin = maintenanceMargin(account)
  const ratio = margin === 0n ? Infinity : Number(divideDown(account.equity * 1_000_000n, margin))
  return Math.min(ratio, Number.MAX_SAFE_INTEGER)
}

/** Rounds towards minus infinity; `b` is positive. */
function divideDown(a: bigint, b: bigint): bigint {
  return a >= 0n ? a / b : -divideUp(-a, b)
}

/** Equity is at most a fifth above the maintenance margin. */
function isWarned(account: Account): boolean {
  const margin = maintenanceMargin(account)
  return margin > 0n && 5n * account.equity <= 6n * margin
}
