/**
 * Rate-limit charges for frames that the gateway answers itself, taken from the user's bucket at the desk, so that
 * one limit applies across all connections (rule 6.10). Charged in batches of 10, because a call for each frame would
 * cost more than the reply.
 */
export interface DeskCharge {
  /** Charges a frame. Returns 0, or the milliseconds to wait if the bucket is empty. */
  readonly spend: (weight: number) => number
  /** Charges the remaining weight when the connection closes. */
  readonly end: () => void
}

/**
 * Takes weight from the user's bucket at the desk, then calls `done` with the milliseconds to wait: 0 if the weight
 * was taken, or undefined if the desk did not respond.
 */
export type TakeAtDesk = (weight: number, done: (waitMillis: number | undefined) => void) => void

const lot = 10
/** Maximum weight that a connection can leave uncharged while its desk does not respond. */
const mostUncharged = 1_000
/** Waiting time that is returned while the desk does not respond. */
const unansweredMillis = 1_000

export const make = (takeAtDesk: TakeAtDesk, nowMillis: () => number): DeskCharge => {
  let uncharged = 0
  let limitedUntilMillis = -Infinity
  let isInFlight = false
  let isOver = false
  const charge = () => {
    const weight = uncharged
    isInFlight = true
    takeAtDesk(weight, (waitMillis) => {
      isInFlight = false
      if (waitMillis === 0) uncharged -= weight
      else if (waitMillis !== undefined) limitedUntilMillis = nowMillis() + waitMillis
      // Charges the weight that was added during the call. After the connection has closed, a refused or unanswered
      // charge is not retried.
      if (isOver && waitMillis === 0) chargeRest()
    })
  }
  const chargeRest = () => {
    if (uncharged >= 1 && !isInFlight) charge()
  }
  return {
    spend: (weight) => {
      const now = nowMillis()
      if (now < limitedUntilMillis) return Math.ceil(limitedUntilMillis - now)
      if (uncharged >= mostUncharged && isInFlight) return unansweredMillis
      uncharged += weight
      if (uncharged >= lot && !isInFlight) charge()
      return 0
    },
    end: () => {
      isOver = true
      chargeRest()
    }
  }
}
