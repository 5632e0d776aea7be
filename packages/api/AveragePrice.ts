/** Average entry price of a position, derived from the position's cost basis and never stored. */
import type { Instrument } from "@venue/domain/Instrument"
import type { Holding } from "@venue/domain/Balance"
import * as Digits from "./Digits.ts"

/** Returns cost basis / quantity as decimal text in USD per base unit, to the nearest 1e-8; "0" without a position. */
export const averagePrice = (
  instrument: Instrument,
  { basis, quantityLots }: Pick<Holding, "basis" | "quantityLots">
): string => {
  if (quantityLots === 0) return "0"
  const cost = BigInt(Math.abs(basis)) * costScale
  const size = BigInt(Math.abs(quantityLots)) * BigInt(instrument.lotE8)
  return Digits.bigUnits((2n * cost + size) / (2n * size))
}

/** Factor that converts a cost in 1e-6 USD per 1e-8 base units to a price in 1e-8 USD per base unit. */
const costScale = 10_000_000_000n
