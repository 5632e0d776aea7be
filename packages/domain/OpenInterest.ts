/** Open interest of all markets together, and its limit (rule 6.7). */
import { moneyScale, unitScale } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"
import type { Priced } from "./Market.ts"
import type { MarketSymbol } from "./MarketSymbol.ts"

/** Total open interest and its value by symbol, exact, in 1e-16 USD. Its single owner changes it in place. */
export interface OpenInterest {
  total: bigint
  readonly bySymbol: Map<MarketSymbol, bigint>
}

/** Returns an empty open interest. */
export const none = (): OpenInterest => ({ total: 0n, bySymbol: new Map() })

/** Stores a market's open interest, taken from its latest prices. */
export const take = (openInterest: OpenInterest, instrument: Instrument, priced: Priced): void => {
  put(openInterest, instrument.symbol, worth(instrument, priced, priced.openInterestLots))
}

/** Removes a closed market, which has no positions left. */
export const end = (openInterest: OpenInterest, symbol: MarketSymbol): void => put(openInterest, symbol, 0n)

/** Returns true if `lots` more would exceed the limit over all markets (rule 6.7). */
export const isBeyond = ({ total }: OpenInterest, instrument: Instrument, priced: Priced, lots: number): boolean =>
  total + worth(instrument, priced, lots) > limit

const put = (openInterest: OpenInterest, symbol: MarketSymbol, value: bigint): void => {
  openInterest.total += value - (openInterest.bySymbol.get(symbol) ?? 0n)
  openInterest.bySymbol.set(symbol, value)
}

const worth = ({ lotE8 }: Instrument, { markE8 }: Priced, lots: number): bigint =>
  BigInt(lots) * BigInt(lotE8) * BigInt(markE8)

/** Limit of 50 billion USD (rule 6.7). */
const limit = 50_000n * BigInt(moneyScale) * BigInt(unitScale) * BigInt(unitScale)
