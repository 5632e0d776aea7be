/** The average entry price: a view of the cost basis, never stored. */
import type { Instrument } from "@venue/domain/Instrument"
import type { Holding } from "@venue/domain/Balance"
import * as Digits from "./Digits.ts"

/** Gives the cost over the quantity, to the nearest 1e-8; 0 when there is none. */
export const averagePrice = (
  instrument: Instrument,
  { basis, quantityLots }: Pick<Holding, "basis" | "quantityLots">
): string => {
  if (quantityLots === 0) return "0"
  const cost = BigInt(Math.abs(basis)) * costScale
  const size = BigInt(Math.abs(quantityLots)) * BigInt(instrument.lotE8)
  return Digits.bigUnits((2n * cost + size) / (2n * size))
}

/** This factor leads from 1e-6 USD over 1e-8 of a unit to 1e-8 USD of one unit. */
const costScale = 10_000_000_000n
