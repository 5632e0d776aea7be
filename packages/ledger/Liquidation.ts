/**
 * Liquidation of an account (rule 9): the venue's next measure, and the account's response to other accounts'
 * takeovers. Accounts must be refreshed first.
 */
import { divideUp, rateScale } from "@venue/domain/Decimal"
import type { Instrument } from "@venue/domain/Instrument"
import type { DecidedOn, Liquidate, OpenTakeover, Stand } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type Account, available, isFrozen, refresh } from "./Account.ts"
import * as Exposure from "./Exposure.ts"
import * as Provider from "./Provider.ts"
import { send, type Trader } from "./Trader.ts"

/** Returns true if equity is at or below the maintenance margin of the positions (rule 9.1). */
export const isInLiquidation = (account: Account): boolean => {
  // The maintenance margin is two thirds of the initial margin, so equity exceeds it while some balance is available.
  if (available(account) > 0n) return false
  const margin = maintenanceMargin(account)
  return margin > 0n && account.equity <= margin
}

/** Returns how many accounts of a trader are in liquidation and how many are warned (rule 9.2). */
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

/** Returns the maintenance margin of all positions, in 1e-6 USD. */
export const maintenanceMargin = (account: Account): bigint => {
  let total = 0n
  for (const exposure of account.exposures.values()) total += BigInt(Exposure.maintenanceMargin(exposure))
  return total
}

type Envelope = "commandId" | "expiresAtMillis" | "traderEpoch" | "userId" | "accountId"

/** Command that liquidates an account in one market, without the common command fields. */
export type Measure = Omit<Liquidate, Envelope> | Omit<OpenTakeover, Envelope>

export interface NextMeasure {
  readonly exposure: Exposure.Exposure
  readonly measure: Measure
}

/**
 * Returns the next measure, or undefined if the account is not in liquidation or one of its positions is frozen.
 * Considers only markets that trade at a fresh price (`isOpen`). Chooses the market with the largest maintenance
 * margin; ties go to the first symbol (rule 9.6).
 */
export const measure = (account: Account, isOpen: (symbol: MarketSymbol) => boolean): NextMeasure | undefined => {
  if (!isInLiquidation(account) || isFrozen(account)) return undefined
  const exposure = largest(account, isOpen)
  if (exposure === undefined) return undefined
  const isOnBook = 3n * account.equity > 2n * maintenanceMargin(account)
  return { exposure, measure: isOnBook ? slice(account, exposure) : takeover(account, exposure) }
}

/** Returns the command for a measure and registers it as in flight. */
export const enterMeasure = (
  trader: Trader,
  account: Account,
  { exposure, measure }: NextMeasure,
  envelope: Pick<Liquidate, "commandId" | "expiresAtMillis" | "traderEpoch">
): Liquidate | OpenTakeover => {
  send(trader, account, exposure, envelope.commandId.text, "")
  return { ...measure, ...envelope, userId: trader.userId, accountId: account.accountId }
}

/** Returns the markets in which the account has orders or stops, or might have some after in-flight commands arrive. */
export const ordered = ({ exposures }: Account): ReadonlyArray<MarketSymbol> =>
  [...exposures].filter(([, { holds, stops }]) => holds.size > 0 || stops.size > 0).map(([symbol]) => symbol)

/** Returns the account's response to takeovers (rule 9.7). A provider needs no position and pays from `unused`. */
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
  let chosen: Exposure.Exposure | undefined
  let most = 0
  for (const [symbol, exposure] of exposures) {
    const margin = Exposure.maintenanceMargin(exposure)
    if (margin === 0 || margin < most || !isOpen(symbol)) continue
    if (chosen !== undefined && margin === most && symbol > chosen.instrument.symbol) continue
    chosen = exposure
    most = margin
  }
  return chosen
}

/**
 * Returns the smallest quantity that brings equity back to 5/4 of the maintenance margin if all of it fills at its
 * limit (rule 9.4): `q >= (k MM - E) / (M (k MMR - s - f))` with k = 5/4, `MMR = 2 / 3L`, `s = 2 / 9Lmax` and f the
 * taker rate, rounded up.
 */
function slice(account: Account, exposure: Exposure.Exposure): Measure {
  const { instrument, leverage, markE8, position, rates, valuation } = exposure
  const [level, maxLevel, rate] = [BigInt(leverage), BigInt(instrument.maxLeverage), BigInt(rates.taker)]
  const scale = BigInt(rateScale)
  // Numerator and denominator are multiplied by 36 L Lmax and the rate's scale, so that both are whole.
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

/**
 * Returns a slice's limit price in ticks. It differs from the mark by a third of the maintenance margin rate at
 * maximum leverage, rounded towards the mark.
 */
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

/**
 * Returns the position's share of the account's equity, in proportion to maintenance margins, rounded down (rule
 * 9.6).
 */
function shareOf(account: Account, exposure: Exposure.Exposure): number {
  const margin = Exposure.maintenanceMargin(exposure)
  return margin === 0 ? 0 : Number(divideDown(account.equity * BigInt(margin), maintenanceMargin(account)))
}

/**
 * Returns equity divided by the maintenance margin, in 1e-6 and rounded down. The result is capped at the largest
 * safe integer, which is also returned for an account without positions.
 */
function ratioE6(account: Account): number {
  const margin = maintenanceMargin(account)
  const ratio = margin === 0n ? Infinity : Number(divideDown(account.equity * 1_000_000n, margin))
  return Math.min(ratio, Number.MAX_SAFE_INTEGER)
}

/** Divides rounding towards minus infinity; `b` is positive. */
function divideDown(a: bigint, b: bigint): bigint {
  return a >= 0n ? a / b : -divideUp(-a, b)
}

/** Returns true if equity is at most a fifth above the maintenance margin (rule 9.2). */
function isWarned(account: Account): boolean {
  const margin = maintenanceMargin(account)
  return margin > 0n && 5n * account.equity <= 6n * margin
}
