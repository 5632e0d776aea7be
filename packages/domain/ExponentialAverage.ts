/** Exponential moving average with time-weighted samples. */

/**
 * Returns the average after `elapsedMillis`: it moves towards the sample by `1 − e^(−elapsed/window)` of the
 * distance. The weight is rounded to 1e-12, so that every machine computes the same value. The result is rounded to a
 * whole number.
 */
export const step = (average: number, sample: number, elapsedMillis: number, windowMillis: number): number => {
  const weight = Math.round(-Math.expm1(-elapsedMillis / windowMillis) * weightScale)
  return average + Math.round((weight * (sample - average)) / weightScale)
}

const weightScale = 1_000_000_000_000
