/** Reference implementation of liquidation, as slow and simple as the margin twin (rule 9). */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Twin from "./Twin.ts"

const marginOf = (twin: Twin.Twin, accountId: AccountId, symbol: MarketSymbol) =>
  Twin.ceil(marginAtMark(twin, accountId, symbol, magnitude(Twin.quantity(twin, accountId, symbol))))

const magnitude = (n: bigint) => (n < 0n ? -n : n)

const marginAtMark = (twin: Twin.Twin, accountId: AccountId, symbol: MarketSymbol, lots: bigint) =>
  Twin.over(Twin.times(Twin.atMark(twin, symbol, lots), [2n, 3n]), Twin.leverageOf(twin, accountId, symbol))

const totalMargin = (twin: Twin.Twin, accountId: AccountId) =>
  twin.symbols.reduce((total, symbol) => total + marginOf(twin, accountId, symbol), 0n)

/** Returns the money that the account lacks to reach this many hundredths of a percent of its maintenance margin. */
export const missing = (twin: Twin.Twin, accountId: AccountId, share: number): bigint =>
  (totalMargin(twin, accountId) * BigInt(share)) / 10_000n - Twin.balance(twin, accountId).equity

/** Returns the market's share of the account's equity, which is negative for a bankrupt account. */
export const share = (twin: Twin.Twin, accountId: AccountId, symbol: MarketSymbol): bigint =>
  Twin.floor([Twin.balance(twin, accountId).equity * marginOf(twin, accountId, symbol), totalMargin(twin, accountId)])

export const ratioE6 = (twin: Twin.Twin, accountId: AccountId): bigint =>
  Twin.floor([Twin.balance(twin, accountId).equity * 1_000_000n, totalMargin(twin, accountId)])

/** Returns the next market: largest maintenance margin first, then by symbol. */
const nextSymbol = (twin: Twin.Twin, accountId: AccountId): MarketSymbol =>
  [...twin.symbols].sort((a, b) =>
    marginOf(twin, accountId, a) === marginOf(twin, accountId, b)
      ? a < b
        ? -1
        : 1
      : marginOf(twin, accountId, a) > marginOf(twin, accountId, b)
        ? -1
        : 1
  )[0]!

/** Returns a third of the maintenance margin rate at maximum leverage. */
const spread = (twin: Twin.Twin, symbol: MarketSymbol): Twin.Fraction => [
  2n,
  9n * BigInt(twin.instruments.get(symbol)!.maxLeverage)
]

/** Returns true if these lots, filled at the limit, raise equity to 5/4 of the maintenance margin. */
export const restores = (twin: Twin.Twin, accountId: AccountId, symbol: MarketSymbol, lots: bigint): boolean => {
  const value = Twin.atMark(twin, symbol, lots)
  const lost = Twin.plus(
    Twin.times(value, spread(twin, symbol)),
    Twin.times(value, [BigInt(Twin.rates(twin, symbol).takerRate), 100_000_000n])
  )
  const equity = Twin.minus([Twin.balance(twin, accountId).equity, 1n], lost)
  const kept = Twin.minus([totalMargin(twin, accountId), 1n], marginAtMark(twin, accountId, symbol, lots))
  return Twin.minus(equity, Twin.times(kept, [5n, 4n]))[0] >= 0n
}

const limitTicks = (twin: Twin.Twin, symbol: MarketSymbol, isLong: boolean): bigint => {
  const mark: Twin.Fraction = [BigInt(twin.marks.get(symbol)!), BigInt(twin.instruments.get(symbol)!.tickE8)]
  const off = Twin.times(mark, spread(twin, symbol))
  return isLong ? Twin.ceil(Twin.minus(mark, off)) : Twin.floor(Twin.plus(mark, off))
}

/** Returns the next liquidation command, or undefined for an account that is not in liquidation. */
export const measure = (twin: Twin.Twin, accountId: AccountId) => {
  if (!Twin.isInLiquidation(twin, accountId)) return undefined
  const symbol = nextSymbol(twin, accountId)
  const isOnBook = 3n * Twin.balance(twin, accountId).equity > 2n * totalMargin(twin, accountId)
  if (!isOnBook) return { symbol, share: share(twin, accountId, symbol) }
  const held = Twin.quantity(twin, accountId, symbol)
  return { symbol, held: magnitude(held), priceTicks: limitTicks(twin, symbol, held > 0n) }
}
