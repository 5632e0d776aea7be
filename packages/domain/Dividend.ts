/**
 * Cash dividends of the underlier: longs receive and shorts pay (rule 19.1). Market and trader book them with the same
 * function, so both get the same amounts.
 */
import { type Instrument, valueDown } from "./Instrument.ts"
import { fund, type Position } from "./Position.ts"

/** Pays a cash dividend. Has no effect if a dividend for the same or a later ex-date was already paid. */
export interface PayDividend {
  readonly _tag: "PayDividend"
  /**
   * First day on which the underlier trades without the dividend, in days since 1970-01-01.
   */
  readonly exDay: number
  /** Dividend per unit of the base, in 1e-8 USD. */
  readonly perUnitE8: number
}

/**
 * A dividend was paid (rule 19.1). Like `Funded`, it applies to every position of the market: each holder of a position
 * books it with `Dividend.book` at this point of the log.
 */
export interface DividendPaid {
  readonly _tag: "DividendPaid"
  readonly exDay: number
  readonly perUnitE8: number
  /** Sum that rounding left over from all payments, in 1e-6 USD; it goes to the market's reserve fund. */
  readonly remainder: number
  readonly atMillis: number
}

/**
 * Returns the amount that a position receives, in 1e-6 USD; negative if it pays. Rounded down, so that a payer pays any
 * fraction as a whole unit and a receiver forgoes it (rule 19.1).
 */
export const payment = (instrument: Instrument, quantityLots: number, perUnitE8: number): number =>
  valueDown(instrument, quantityLots, perUnitE8)

/** Books a dividend on a position and returns the amount received, in 1e-6 USD; negative if paid. */
export const book = (position: Position, instrument: Instrument, perUnitE8: number): number => {
  const received = payment(instrument, position.quantityLots, perUnitE8)
  fund(position, received)
  return received
}
