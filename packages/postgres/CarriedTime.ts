/** Time of a remote clock, extrapolated with a local monotonic counter between measurements; never goes back. */

/** A reading of the remote clock, taken between two readings of the counter. */
export interface Measurement {
  /** Reading of the remote clock in Unix milliseconds. */
  readonly remoteMillis: number
  /** Counter before and after the reading of the remote clock, in milliseconds. */
  readonly sentAt: number
  readonly receivedAt: number
}

export interface CarriedTime {
  /** Returns the time in Unix milliseconds with a fraction. The counter passed to successive calls must not go back. */
  readonly at: (counterMillis: number) => number
  /**
   * Applies a measurement. Returns the error of the extrapolated time in milliseconds, which is negative if that time
   * was ahead.
   */
  readonly correct: (measured: Measurement, counterMillis: number) => number
}

/**
 * Rate at which the extrapolated time advances while it is ahead of the remote clock. Above zero, so that timers
 * still fire.
 */
const slow = 0.5

export const make = ({ receivedAt, remoteMillis, sentAt }: Measurement): CarriedTime => {
  /** Estimated difference between the remote clock and the counter, in milliseconds. */
  let offset = remoteMillis - (sentAt + receivedAt) / 2
  /** Difference between the returned time and the estimate when the counter was `aheadAt`, in milliseconds. */
  let aheadMillis = 0
  let aheadAt = sentAt

  const at = (counterMillis: number): number =>
    counterMillis + offset + Math.max(0, aheadMillis - (counterMillis - aheadAt) * slow)

  return {
    at,
    correct: (measured, counterMillis) => {
      const before = at(counterMillis)
      // A measurement gives only bounds for the offset, and the bounds are wide if the measurement was slow.
      const least = measured.remoteMillis - measured.receivedAt
      const most = measured.remoteMillis - measured.sentAt
      offset = Math.min(Math.max(offset, least), most)
      aheadMillis = Math.max(0, before - counterMillis - offset)
      aheadAt = counterMillis
      return counterMillis + offset - before
    }
  }
}
