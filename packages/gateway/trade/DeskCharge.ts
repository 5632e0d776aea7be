/**
 * What a gateway answers by itself is charged to the user at the desk all the same, so that the limit is one over all
 * connections (rule 6.10). It is charged in lots: a call for each would cost more than the answer.
 */
export interface DeskCharge {
  /** Answers 0, or for how many milliseconds nothing more of it may be answered. */
  readonly spend: (weight: number) => number
  /** The connection is over. */
  readonly end: () => void
}

/**
 * Takes the weight from the user's bucket. `done` hears 0, or how many milliseconds to wait where nothing was taken;
 * undefined where the desk did not answer.
 */
export type TakeAtDesk = (weight: number, done: (waitMillis: number | undefined) => void) => void

const lot = 10
/** A connection whose desk does not answer may have so much that is not charged. */
const mostUncharged = 1_000
const unansweredMillis = 1_000

export const make = (takeAtDesk: TakeAtDesk, nowMillis: () => number): DeskCharge => {
  let uncharged = 0
  let limitedUntilMillis = -Infinity
  let isAsked = false
  let isOver = false
  const charge = () => {
    const asked = uncharged
    isAsked = true
    takeAtDesk(asked, (waitMillis) => {
      isAsked = false
      if (waitMillis === 0) uncharged -= asked
      else if (waitMillis !== undefined) limitedUntilMillis = nowMillis() + waitMillis
      // What came meanwhile; who is over and has spent all, or has no desk, is asked for no more.
      if (isOver && waitMillis === 0) chargeRest()
    })
  }
  const chargeRest = () => {
    if (uncharged >= 1 && !isAsked) charge()
  }
  return {
    spend: (weight) => {
      const now = nowMillis()
      if (now < limitedUntilMillis) return Math.ceil(limitedUntilMillis - now)
      if (uncharged >= mostUncharged && isAsked) return unansweredMillis
      uncharged += weight
      if (uncharged >= lot && !isAsked) charge()
      return 0
    },
    end: () => {
      isOver = true
      chargeRest()
    }
  }
}
