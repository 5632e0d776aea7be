/** An average that leans towards each sample for as long as the sample stood. */

/**
 * Gives the average one step later: it goes `1 − e^(−elapsed/window)` of the way to the sample. That weight is rounded
 * to 1e-12, so that every machine agrees, and the result to a whole number.
 */
export const step = (average: number, sample: number, elapsedMillis: number, windowMillis: number): number => {
  const weight = Math.round(-Math.expm1(-elapsedMillis / windowMillis) * weightScale)
  return average + Math.round((weight * (sample - average)) / weightScale)
}

const weightScale = 1_000_000_000_000
