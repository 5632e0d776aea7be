/**
 * Rate-limit charges for frames that the gateway answers itself. They are taken from the user's bucket at the desk, so that one
 * limit holds over all connections (rule 6.10), and in lots of 10: a call for each frame would cost more than its answer.
 */
export interface DeskCharge {
  /** Charges a frame. Returns 0, or the milliseconds to wait if the bucket is empty. */
  readonly spend: (weight: number) => number
  /** Charges the rest when the connection ends. */
  readonly end: () => void
}

/**
 * Takes the weight from the user's bucket at the desk. Calls `done` with 0, or with the milliseconds to wait if nothing was
 * taken, or with undefined if the desk did not answer.
 */
export type TakeAtDesk = (weight: number, done: (waitMillis: number | undefined) => void) => void

const lot = 10
/** Maximum weight that a connection may leave uncharged while its desk does not answer. */
const mostUncharged = 1_000
/** Waiting time returned while the desk does not answer. */
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
      // Charges the weight added during the call. After the connection ended, a refusal or a silent desk is not retried.
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
