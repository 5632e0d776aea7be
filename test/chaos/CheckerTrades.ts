/** Trade checks: both sides are equal, ids are unique, and no order fills beyond its quantity or after its end. */
import { ends, type Finding, lotsOf, type Story, type Trade } from "./CheckerStory.ts"

export const findings = (story: Story): ReadonlyArray<Finding> =>
  story.isWhole ? [...sides(story), ...quantities(story), ...afterTheEnd(story)] : []

function sides({ trades }: Story): ReadonlyArray<Finding> {
  const byId = new Map<string, Array<Trade>>()
  for (const trade of trades) byId.set(trade.tradeId, [...(byId.get(trade.tradeId) ?? []), trade])
  return [...byId].flatMap(([tradeId, [one, other, ...more]]) => {
    if (one === undefined || other === undefined || more.length > 0) {
      return [{ rule: "I21", text: `trade ${tradeId} has ${more.length + (other === undefined ? 1 : 2)} sides` }]
    }
    const agree =
      one.symbol === other.symbol && one.lots === other.lots && one.ticks === other.ticks && one.side !== other.side
    return agree ? [] : [{ rule: "I21", text: `the sides of trade ${tradeId} differ` }]
  })
}

function quantities(story: Story): ReadonlyArray<Finding> {
  const filled = filledOf(story.trades)
  const found: Array<Finding> = []
  for (const [orderId, { lots, status }] of story.ended) {
    const sum = filled.get(orderId) ?? 0
    if (status === "FILLED" ? sum !== lots : sum > lots) {
      found.push({ rule: "I21", text: `order ${orderId} is ${status} of ${lots} lots, and its trades are ${sum}` })
    }
  }
  for (const { open } of story.reads) {
    for (const { order_id, quantity, quantity_remaining, symbol } of open) {
      const sum = filled.get(order_id) ?? 0
      const left = lotsOf(story, symbol, quantity) - lotsOf(story, symbol, quantity_remaining)
      if (left !== sum) {
        found.push({ rule: "I21", text: `open order ${order_id} has filled ${left} lots, and its trades are ${sum}` })
      }
    }
  }
  for (const [orderId, told] of story.told) {
    // A reported cancel states the filled quantity, so no fill is allowed to follow.
    const end = told.find(({ row }) => ends.has(row.status))?.row
    if (end === undefined) continue
    const toldLots = lotsOf(story, end.symbol, end.quantity) - lotsOf(story, end.symbol, end.quantity_remaining)
    const sum = filled.get(orderId) ?? 0
    if (toldLots !== sum) {
      found.push({
        rule: "I35",
        text: `order ${orderId} was told ${end.status} with ${toldLots} lots filled, trades are ${sum}`
      })
    }
  }
  return found
}

function afterTheEnd({ ended, trades }: Story): ReadonlyArray<Finding> {
  return trades.flatMap(({ at, orderId, tradeId }) => {
    const end = ended.get(orderId)
    if (end === undefined || at <= end.at) return []
    return [
      { rule: "I22", text: `order ${orderId} was ${end.status}, and trade ${tradeId} came ${at - end.at} ms later` }
    ]
  })
}

export const filledOf = (trades: ReadonlyArray<Trade>): ReadonlyMap<string, number> => {
  const filled = new Map<string, number>()
  for (const { lots, orderId } of trades) filled.set(orderId, (filled.get(orderId) ?? 0) + lots)
  return filled
}
