/** The time of a remote clock, extrapolated with a local monotonic counter. It is re-measured regularly and never goes back. */

/** One reading of the remote clock, between two readings of the counter. */
export interface Measurement {
  /** Unix milliseconds of the remote clock. */
  readonly remoteMillis: number
  /** Counter before and after the reading, in milliseconds. */
  readonly sentAt: number
  readonly receivedAt: number
}

export interface CarriedTime {
  /** Returns Unix milliseconds with a fraction. The counter must not go back. */
  readonly at: (counterMillis: number) => number
  /** Applies a measurement and returns the error in milliseconds; negative when the time was ahead. */
  readonly correct: (measured: Measurement, counterMillis: number) => number
}

/** Rate of a time that is ahead, until the remote clock has caught up. Above zero, so that no timer waits forever. */
const slow = 0.5

export const make = ({ receivedAt, remoteMillis, sentAt }: Measurement): CarriedTime => {
  /** Estimated lead of the remote clock over the counter, in milliseconds. */
  let offset = remoteMillis - (sentAt + receivedAt) / 2
  /** Lead of the returned time over the estimate, at counter `aheadAt`. */
  let aheadMillis = 0
  let aheadAt = sentAt

  const at = (counterMillis: number): number =>
    counterMillis + offset + Math.max(0, aheadMillis - (counterMillis - aheadAt) * slow)

  return {
    at,
    correct: (measured, counterMillis) => {
      const before = at(counterMillis)
      // A measurement only bounds the offset, and a slow one bounds it loosely.
      const least = measured.remoteMillis - measured.receivedAt
      const most = measured.remoteMillis - measured.sentAt
      offset = Math.min(Math.max(offset, least), most)
      aheadMillis = Math.max(0, before - counterMillis - offset)
      aheadAt = counterMillis
      return counterMillis + offset - before
    }
  }
}
