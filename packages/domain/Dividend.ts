/**
 * A cash dividend of the underlier: who is long receives it, who is short pays it (rule 19.1). Market and trader book it
 * with the same function, and so agree.
 */
import type { Instrument } from "./Instrument.ts"
import { fund, type Position } from "./Position.ts"

/**
 * Gives what a position receives of so much for a unit, in 1e-6 USD, negative when it pays. Who pays pays a fraction as
 * a whole one, and who receives receives it not at all.
 */
export const payment = ({ lotE8 }: Instrument, quantityLots: number, perUnitE8: number): number => {
  const exact = BigInt(quantityLots) * BigInt(lotE8) * BigInt(perUnitE8)
  return Number(exact < 0n ? -((perMicro - 1n - exact) / perMicro) : exact / perMicro)
}

/** Books it on a position, and returns what that received, negative when it paid. */
export const book = (position: Position, instrument: Instrument, perUnitE8: number): number => {
  const received = payment(instrument, position.quantityLots, perUnitE8)
  fund(position, received)
  return received
}

/** A lot in 1e-8 and an amount in 1e-8, and money in 1e-6. */
const perMicro = 10n ** 10n
