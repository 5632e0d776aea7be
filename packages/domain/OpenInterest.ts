/** What the positions of all markets are worth together, and what that may come to (rule 6.7). */
import { moneyScale, unitScale } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"
import type { Priced } from "./Market.ts"
import type { MarketSymbol } from "./MarketSymbol.ts"

/** All values are exact, in 1e-16 USD. Its one owner changes it in place. */
export interface OpenInterest {
  total: bigint
  readonly bySymbol: Map<MarketSymbol, bigint>
}

export const none = (): OpenInterest => ({ total: 0n, bySymbol: new Map() })

/** Takes in what a market said last. */
export const take = (openInterest: OpenInterest, instrument: Instrument, priced: Priced): void => {
  put(openInterest, instrument.symbol, worth(instrument, priced, priced.openInterestLots))
}

/** A market is over, whatever it said last: nobody has a position there. */
export const end = (openInterest: OpenInterest, symbol: MarketSymbol): void => put(openInterest, symbol, 0n)

/** Says whether so many lots more would be too many. */
export const isBeyond = ({ total }: OpenInterest, instrument: Instrument, priced: Priced, lots: number): boolean =>
  total + worth(instrument, priced, lots) > most

const put = (openInterest: OpenInterest, symbol: MarketSymbol, value: bigint): void => {
  openInterest.total += value - (openInterest.bySymbol.get(symbol) ?? 0n)
  openInterest.bySymbol.set(symbol, value)
}

const worth = ({ lotE8 }: Instrument, { markE8 }: Priced, lots: number): bigint =>
  BigInt(lots) * BigInt(lotE8) * BigInt(markE8)

/** This is fifty billion USD. */
const most = 50_000n * BigInt(moneyScale) * BigInt(unitScale) * BigInt(unitScale)
