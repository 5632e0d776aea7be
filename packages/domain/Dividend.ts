/**
 * Cash dividends of the underlier: longs receive and shorts pay (rule 19.1). Market and trader use the same function,
 * so both book the same amounts.
 */
import { type Instrument, valueDown } from "./Instrument.ts"
import { fund, type Position } from "./Position.ts"

/** Pays a cash dividend. Has no effect if a dividend for the same or a later ex-date was already paid. */
export interface PayDividend {
  readonly _tag: "PayDividend"
  /** First day on which the underlier trades without the dividend, in days since 1970-01-01. */
  readonly exDay: number
  /** Dividend per unit of the base, in 1e-8 USD. */
  readonly perUnitE8: number
}

/**
 * A dividend was paid (rule 19.1). Applies to every position in the market: each market and trader with a position
 * calls `Dividend.book` at this point in the log.
 */
export interface DividendPaid {
  readonly _tag: "DividendPaid"
  readonly exDay: number
  readonly perUnitE8: number
  /** Total that rounding left over from all payments, in 1e-6 USD, which goes to the market's reserve fund. */
  readonly remainder: number
  readonly atMillis: number
}

/**
 * Returns the amount that a position receives, in 1e-6 USD; negative if the position pays. The amount is rounded
 * down: a payer's fraction of a unit counts as a whole unit, a receiver's fraction as nothing (rule 19.1).
 */
export const payment = (instrument: Instrument, quantityLots: number, perUnitE8: number): number =>
  valueDown(instrument, quantityLots, perUnitE8)

/** Books a dividend on a position and returns the amount received, in 1e-6 USD; negative if paid. */
export const book = (position: Position, instrument: Instrument, perUnitE8: number): number => {
  const received = payment(instrument, position.quantityLots, perUnitE8)
  fund(position, received)
  return received
}
