/**
 * Stop and TWAP checks: a stop fires once, only one stop of a linked pair fires, and a TWAP has no extra or early
 * child order.
 */
import { type Finding, isStopType, type Story } from "./CheckerStory.ts"
import { filledOf } from "./CheckerTrades.ts"

export const findings = (story: Story): ReadonlyArray<Finding> =>
  story.isWhole ? [...stops(story), ...twaps(story)] : []

/**
 * Checks that only one stop of a linked pair fires, and that it becomes a single order. Another check covers the
 * quantity.
 */
function stops(story: Story): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  const pairs = new Map<string, Set<string>>()
  const fired = new Map<string, Set<number>>()
  for (const { account, at, clientOrderId, orderId, origin } of story.trades) {
    if (origin !== "STOP") continue
    fired.set(orderId, (fired.get(orderId) ?? new Set()).add(at))
    const key = `${account} ${clientOrderId}`
    if (clientOrderId !== "") pairs.set(key, (pairs.get(key) ?? new Set()).add(orderId))
  }
  for (const [orderId, times] of fired) {
    if (times.size > 1) found.push({ rule: "I30", text: `stop ${orderId} filled at ${times.size} times` })
  }
  for (const [key, orderIds] of pairs) {
    const firedAt = (orderId: string) => Math.min(...fired.get(orderId)!)
    const inTurn = [...orderIds].sort((a, b) => firedAt(a) - firedAt(b))
    // If an order fills further after its stop has fired, even in the same millisecond, the venue creates a new pair
    // of stops.
    const isNew = (orderId: string, index: number) =>
      index === 0 || placedAt(story, orderId) >= firedAt(inTurn[index - 1]!)
    if (!inTurn.every(isNew)) found.push({ rule: "I30", text: `linked stops of ${key} both fired: ${inTurn.join()}` })
  }
  const filled = filledOf(story.trades)
  for (const { orderId, status, type } of story.ended.values()) {
    if (isStopType(type) && type !== "STOP_MARKET" && (filled.get(orderId) ?? 0) > 0) {
      found.push({ rule: "I30", text: `stop ${orderId} ended as ${status} of type ${type}, and has trades` })
    }
  }
  return found
}

/** Returns the time of the first report about the order, or minus infinity without a report. */
const placedAt = ({ told }: Story, orderId: string): number =>
  Math.min(...(told.get(orderId)?.map(({ at, row }) => (row.update_time ?? at / 1_000) * 1_000) ?? [-Infinity]))

/**
 * An account has at most one TWAP per symbol at a time, so all its orders with TWAP origin during that time are the
 * TWAP's children.
 */
function twaps(story: Story): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  for (const row of story.twaps) {
    const twapId = String(row["twap_id"])
    const number = (name: string) => Number(row[name])
    const [startAt, endedAt, interval] = [
      number("start_at_millis"),
      number("ended_at_millis"),
      number("interval_millis")
    ]
    const trades = story.trades.filter(
      ({ account, at, origin, symbol }) =>
        origin === "TWAP" && account === row["account_id"] && symbol === row["symbol"] && at >= startAt && at <= endedAt
    )
    const children = new Map<string, number>()
    for (const { at, orderId } of trades) if (!children.has(orderId)) children.set(orderId, at)
    const sum = trades.reduce((lots, trade) => lots + trade.lots, 0)
    const guilty = (text: string) => found.push({ rule: "I31", text: `TWAP ${twapId} ${text}` })
    if (sum > number("total_quantity")) guilty(`has filled ${sum} of ${number("total_quantity")} lots`)
    if (sum !== number("filled_quantity")) guilty(`says ${number("filled_quantity")} lots, its trades are ${sum}`)
    if (children.size > number("slices")) guilty(`has ${children.size} children of ${number("slices")} slices`)
    const times = [...children.values()].toSorted((a, b) => a - b)
    times.forEach((at, index) => {
      if (at < startAt + index * interval) guilty(`placed child ${index + 1} at ${at - startAt} ms`)
    })
  }
  return found
}
