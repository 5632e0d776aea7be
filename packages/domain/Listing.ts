/** Terms of a new contract, as an operator submits them, and their validation (rule 1.8). */
import { type Instrument, instrumentOf, largestOrder, type Terms } from "./Instrument.ts"

/** The first invalid term and a description of a valid value. */
export interface ListingFlaw {
  readonly term: keyof Terms
  readonly expected: string
}

/** Returns the first flaw of the terms, or undefined. An increment with more than eight decimals is `NaN` here. */
export const flawOf = (terms: Terms): ListingFlaw | undefined => {
  const { base, lotE8, maxLeverage, maxQuantityLots, minQuantityLots, tickE8 } = terms
  const flaw = (term: keyof Terms, expected: string): ListingFlaw => ({ term, expected })
  if (!/^[A-Z][A-Z0-9]{0,11}$/.test(base)) return flaw("base", "a letter and up to eleven more letters or digits")
  if (!isPowerOfTen(tickE8)) return flaw("tickE8", step)
  if (!isPowerOfTen(lotE8)) return flaw("lotE8", step)
  // Cash sums stay exact only if the value of one lot at one tick is a whole number of 1e-6 USD.
  if (!Number.isInteger(instrumentOf(1, terms).tickLotMicros))
    return flaw("lotE8", "a lot whose value at a price of one tick is at least 0.000001 USD")
  if (!isCount(minQuantityLots)) return flaw("minQuantityLots", `${lots}, at least 1`)
  if (!isCount(maxQuantityLots) || maxQuantityLots < minQuantityLots)
    return flaw("maxQuantityLots", `${lots} from the minimum quantity to ${largestOrder}`)
  return Number.isInteger(maxLeverage) && maxLeverage >= 1 && maxLeverage <= leverageLimit
    ? undefined
    : flaw("maxLeverage", `a whole number from 1 to ${leverageLimit}`)
}

/** Returns true if the contract was listed with exactly these terms. */
export const isListedAs = (instrument: Instrument, terms: Terms): boolean => {
  const same = instrumentOf(instrument.clobPairId, terms)
  return (
    instrument.symbol === same.symbol &&
    instrument.category === same.category &&
    instrument.tickE8 === same.tickE8 &&
    instrument.lotE8 === same.lotE8 &&
    instrument.minQuantityLots === same.minQuantityLots &&
    instrument.maxQuantityLots === same.maxQuantityLots &&
    instrument.maxLeverage === same.maxLeverage
  )
}

const step = "a power of ten from 0.00000001 to 1"
const lots = "a number of lots"
const leverageLimit = 50

function isPowerOfTen(stepE8: number): boolean {
  return Number.isInteger(stepE8) && /^10{0,8}$/.test(String(stepE8))
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= largestOrder
}
