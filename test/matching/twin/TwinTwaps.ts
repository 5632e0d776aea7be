/** TWAPs of the twin: one list of open ones, with progress counted from the children's events. */
import { noEcho } from "@venue/domain/Echo"
import type { MarketEvent, PlaceSlice } from "@venue/domain/Market"
import type { Id } from "@venue/domain/Id"
import { isOver } from "@venue/domain/TradingState"
import type { CloseTwaps, OpenTwap, Twap, TwapEnding } from "@venue/domain/Twap"
import type { Order } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import { sumOf, type Twin } from "./TwinState.ts"

type Emit = (event: MarketEvent) => void

export const open = (twin: Twin, { commandId, expiresAtMillis, terms }: OpenTwap, emit: Emit): boolean => {
  if (twin.twaps.some(({ twapId }) => twapId === terms.twapId)) return false
  const { timeMillis: atMillis } = twin
  const nothing = { lastSlice: 0, filledLots: 0, filledValue: 0, filledSlices: 0, refusal: null }
  const twap = { ...terms, ...nothing, updatedAtMillis: atMillis }
  twin.twaps = [...twin.twaps, twap]
  emit({ _tag: "TwapOpened", commandId, expiresAtMillis, twap, atMillis })
  const close = (ending: TwapEnding) => end(twin, (own) => own === twap, ending, null, emit)
  if (isOver(twin.letsIn)) close("DELISTING")
  else if (terms.createdAtMillis < twin.lastSplitMillis) close("SPLIT")
  return true
}

/** `obey` applies the child order to the twin. */
export const slice = (
  twin: Twin,
  command: PlaceSlice,
  obey: (child: PlaceSlice["child"], say: Emit) => void,
  emit: Emit
): void => {
  const { accountId, slice, twapId } = command
  const twap = twin.twaps.find((own) => own.twapId === twapId && own.accountId === accountId)
  const isNew = twap !== undefined && slice <= twap.slices && !(slice <= twap.lastSlice)
  const said: Array<MarketEvent> = []
  const late = { ...command, _tag: "Refuse", status: "REJECTED", echo: noEcho } as const
  obey(isNew ? command.child : late, (event) => said.push(event))
  for (const event of said) emit(event)
  if (!isNew || said.length === 0) return
  const fills = said.flatMap((event) =>
    event._tag === "Traded" && event.taker.order.orderId.text === command.commandId.text ? [event] : []
  )
  const refusals = said.flatMap((event) => (event._tag === "Refused" ? [event.status] : []))
  const next = {
    ...twap,
    lastSlice: slice,
    filledLots: twap.filledLots + sumOf(fills.map(({ quantityLots }) => quantityLots)),
    filledValue: twap.filledValue + sumOf(fills.map(({ notional }) => notional)),
    filledSlices: twap.filledSlices + Math.sign(fills.length),
    refusal: refusals[0] ?? null,
    updatedAtMillis: twin.timeMillis
  }
  twin.twaps = twin.twaps.map((own) => (own === twap ? next : own))
  emit({ _tag: "TwapAdvanced", twap: next, atMillis: twin.timeMillis })
}

/** Clips a child's limit to the band, or to the daily bound if that is nearer. */
export const limited = ({ prices }: Twin, order: Order): Order => {
  if (prices === undefined || order.origin !== "TWAP" || order.type !== "LIMIT") return order
  const { lowerTicks, maxPriceTicks, minPriceTicks, upperTicks } = prices
  const allowed = order.side === "BUY" ? [upperTicks, maxPriceTicks] : [lowerTicks, minPriceTicks]
  const [lowest, , highest] = [order.priceTicks, ...allowed].toSorted((a, b) => a - b)
  return { ...order, priceTicks: order.side === "BUY" ? lowest! : highest! }
}

export const close = (twin: Twin, command: CloseTwaps, emit: Emit): OrderRefusal | undefined => {
  const { accountId, commandId, ending, twapIds } = command
  const before = twin.twaps.length
  for (const twapId of twapIds) {
    end(twin, (own) => own.twapId === twapId && own.accountId === accountId, ending, commandId, emit)
  }
  return twin.twaps.length === before ? "NO_SUCH_ORDER" : undefined
}

/** Ends the matching TWAPs, oldest first. */
export const end = (
  twin: Twin,
  isMeant: (twap: Twap) => boolean,
  ending: TwapEnding,
  commandId: Id | null,
  emit: Emit
): void => {
  const ended = twin.twaps.filter(isMeant)
  twin.twaps = twin.twaps.filter((own) => !ended.includes(own))
  for (const twap of ended) emit({ _tag: "TwapClosed", commandId, twap, ending, atMillis: twin.timeMillis })
}
