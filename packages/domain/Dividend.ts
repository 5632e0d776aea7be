/**
 * A cash dividend of the underlier: who is long receives it, who is short pays it (rule 19.1). Market and trader book it
 * with the same function, and so agree.
 */
import { type Instrument, valueDown } from "./Instrument.ts"
import { fund, type Position } from "./Position.ts"

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
