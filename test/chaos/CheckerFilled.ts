/** Checks the `FILLED` frames of one order on one connection (rule 4.22). */

interface Filled {
  readonly trade_id?: string | null | undefined
  readonly quantity_remaining: number
}

export interface Judge {
  /**
   * Records a `fill_response`. The recorded fills show which `FILLED` frames belong to one command; the frames alone
   * do not.
   */
  readonly fill: (tradeId: string) => void
  /** Returns this `FILLED` frame's fault, or undefined if the frame is correct. */
  readonly filled: (row: Filled) => string | undefined
}

/**
 * Frames arrive in order. Each `FILLED` frame contains the trade id of one earlier fill. Frames from one command
 * report the same remaining quantity, and frames from the next command report a smaller one.
 */
export const judge = (): Judge => {
  const tradeIds = new Set<string>()
  let fills: Array<string> = []
  /** The current command's trades that still lack a `FILLED` frame. */
  let outcome: Array<string> = []
  let before = Infinity
  return {
    fill: (tradeId) => void fills.push(tradeId),
    filled: ({ quantity_remaining: left, trade_id: given }) => {
      const trade_id = given ?? ""
      const isFirst = outcome.length === 0
      if (isFirst) [outcome, fills] = [fills, []]
      const expected = outcome.shift()
      const isRepeated = tradeIds.has(trade_id)
      tradeIds.add(trade_id)
      const than = before
      before = left
      if (trade_id === "") return "FILLED without a trade_id"
      if (isRepeated) return `FILLED ${trade_id} twice`
      if (expected !== undefined && expected !== trade_id) return `FILLED ${trade_id} in place of ${expected}`
      if (left > than) return `FILLED ${trade_id} with ${left} left after ${than}`
      if (expected === undefined) return undefined
      if (isFirst && left === than) return `FILLED ${trade_id} with ${left} left as the outcome before`
      if (!isFirst && left < than) return `FILLED ${trade_id} with ${left} left in an outcome that left ${than}`
      return undefined
    }
  }
}
