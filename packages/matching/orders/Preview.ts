/** Preview of a new order in this market, computed with the checks and the matching of a real order. */
import { isSame } from "@venue/domain/Id"
import type { Place } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import type { MarketPreview, PreviewCommand, PreviewFills, PreviewStatus } from "@venue/domain/Preview"
import type { OrderRefusal } from "@venue/domain/Reject"
import { isStop } from "@venue/domain/Stop"
import * as Excerpt from "../state/Excerpt.ts"
import { crosses, type Events, type Market } from "../Market.ts"
import { isOutdated, objection } from "./Objection.ts"
import * as Participants from "../state/Participants.ts"
import { orderFor, closing, meet, refusal as refusalOf, worst } from "./Place.ts"

/** Computes a preview without changing the market; undefined if the command's sender no longer owns the trader. */
export const preview = (market: Market, command: PreviewCommand, nowMillis: number): MarketPreview | undefined => {
  const atMillis = Math.max(market.timeMillis, nowMillis)
  const account = Participants.find(market.participants, command.accountId, command.userId)
  if (isOutdated(market, account, command)) return undefined
  const first = objection(market, account, command, atMillis)
  if (first !== undefined) return refused(market, first === "EXPIRED" ? "REJECTED_FAILED_TO_PROCESS" : first)
  if (command._tag === "Refuse") return refused(market, command.status)
  const { prices } = market
  if (prices === undefined) return refused(market, "REJECTED_MARKET_CLOSED")
  if (command._tag === "Close" && account.position.quantityLots === 0) return refused(market, "REJECTED")
  const placed = command._tag === "Close" ? closing(market, prices, account, command) : command
  const order = orderFor(placed, prices, atMillis)
  const worstTicks = isStop(order.type) ? 0 : worst(prices, placed)
  const status = refusalOf(market, prices, account, placed, order)
  if (status !== undefined) return refused(market, status, order, worstTicks)
  const waiting = { ...refused(market, null, order, worstTicks), status: "ACK" } as const
  if (isStop(order.type)) return waiting
  // An order that would not trade leaves the market unchanged, so it needs no excerpt.
  const isTrying = order.type !== "ALO" && crosses(market, order.side === "SELL", worstTicks)
  const tried = isTrying ? Excerpt.make(market, account, order, worstTicks, atMillis) : { market, account }
  return { ...waiting, ...met(tried, worstTicks, placed, order) }
}

/** Computes the status and fills that the order would have if it were placed now. */
function met(
  { account, market }: Excerpt.Excerpt,
  worstTicks: number,
  placed: Place,
  order: Order
): Pick<MarketPreview, "status" | "fills" | "restingLots"> {
  const events: Events = []
  const resting = meet(market, worstTicks, account, placed, order, events)
  const fills = { ...none }
  let status: PreviewStatus = "ACK"
  for (const event of events) {
    if (event._tag === "Traded") {
      const { fee, realised, reward } = event.taker
      status = "FILLED"
      fills.quantityLots += event.quantityLots
      fills.notional += event.notional
      fills.fee += fee
      fills.reward += reward?.amount ?? 0
      fills.remainder += reward?.remainder ?? 0
      fills.realised += realised
    } else if ((event._tag === "Modified" || event._tag === "Ended") && isSame(event.order.orderId, order.orderId)) {
      status = event._tag === "Ended" ? event.status : "MODIFIED"
    }
  }
  return { status, fills, restingLots: resting?.remainingLots ?? 0 }
}

/** Computes the preview of a refused order. `order` is absent if the refusal came before an order existed. */
function refused(
  { builders, prices }: Market,
  refusal: OrderRefusal | null,
  order?: Order,
  worstTicks = 0
): MarketPreview {
  const builder = order === undefined ? undefined : builders.get(order.builderCode)
  return {
    refusal,
    status: null,
    order: order === undefined ? null : withOutcome(order, worstTicks),
    fills: none,
    restingLots: 0,
    share: builder === undefined ? null : { venueBps: builder.venueBps, builderBps: builder.builderBps },
    prices: prices === undefined ? null : inForce(prices)
  }
}

function withOutcome(
  { priceTicks, quantityLots, reduceOnly, side, timeInForce, type }: Order,
  worstTicks: number
): MarketPreview["order"] {
  // A stop is always reduce-only, whatever the command contains.
  return { side, type, timeInForce, priceTicks, quantityLots, reduceOnly: reduceOnly || isStop(type), worstTicks }
}

function inForce({
  lowerTicks,
  markE8,
  maxPriceTicks,
  minPriceTicks,
  upperTicks
}: NonNullable<Market["prices"]>): MarketPreview["prices"] {
  return { markE8, minPriceTicks, maxPriceTicks, lowerTicks, upperTicks }
}

const none: PreviewFills = { quantityLots: 0, notional: 0, fee: 0, reward: 0, remainder: 0, realised: 0 }
