/**
 * A cash dividend of the underlier: who is long receives it, who is short pays it (rule 19.1). Market and trader book it
 * with the same function, and so agree.
 */
import { type Instrument, valueDown } from "./Instrument.ts"
import { fund, type Position } from "./Position.ts"

/** A cash dividend of the underlier. One for the same day again, or for an earlier one, changes nothing. */
export interface PayDividend {
  readonly _tag: "PayDividend"
  /** From this day on the underlier is bought without it, in days since 1970-01-01. */
  readonly exDay: number
  /** For a unit of the base, in 1e-8 USD. */
  readonly perUnitE8: number
}

/**
 * A dividend is paid (rule 19.1). As `Funded` it concerns every position of the market: whoever keeps one books it with
 * `Dividend.book`, at this place in the log.
 */
export interface DividendPaid {
  readonly _tag: "DividendPaid"
  readonly exDay: number
  readonly perUnitE8: number
  /** Rounding left so much of all payments together, in 1e-6 USD; the market's reserve fund has it. */
  readonly remainder: number
  readonly atMillis: number
}

/**
 * Gives what a position receives of so much for a unit, in 1e-6 USD, negative when it pays. Who pays pays a fraction as
 * a whole one, and who receives receives it not at all.
 */
export const payment = (instrument: Instrument, quantityLots: number, perUnitE8: number): number =>
  valueDown(instrument, quantityLots, perUnitE8)

/** Books it on a position, and returns what that received, negative when it paid. */
export const book = (position: Position, instrument: Instrument, perUnitE8: number): number => {
  const received = payment(instrument, position.quantityLots, perUnitE8)
  fund(position, received)
  return received
}
