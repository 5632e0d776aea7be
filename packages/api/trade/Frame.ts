/** Every frame the trade socket sends, as text. */
import type { LeverageInUse, NotALevel, UnknownSymbol } from "@venue/domain/Trader"
import { err } from "../ErrorFrame.ts"
import type { Channel } from "./CommandSchema.ts"

export { err, type ErrorCode, malformed, rateLimited } from "../ErrorFrame.ts"
export {
  availableLeverageLevelsResponse,
  balanceResponse,
  type LeverageLevel,
  positionResponse,
  userLeverageResponse
} from "./AccountFrame.ts"
export {
  allOrdersResponse,
  fillResponse,
  getOrderResponse,
  orderResponse,
  refusal,
  type RestingOrder,
  userTradesResponse
} from "./OrderFrame.ts"

export { previewResponse } from "./PreviewFrame.ts"
export { stopOrderResponse } from "./StopFrame.ts"
export { twapCancelled, twapResponse, type TwapRow } from "./TwapFrame.ts"

/** Clients look for the one sign or the other. */
export const authenticated = '{"type":"auth","result":"success","authenticated":true}'

export const subscribed = (channel: Channel): string => `{"subscribed":"${channel}"}`

export const unsubscribed = (channel: Channel): string => `{"unsubscribed":"${channel}"}`

/** The event of the channel of that name: the flag of this connection. */
export const cancelOnDisconnect = (armed: boolean): string => `{"cancel_on_disconnect":${armed}}`

/** `incoming` is JSON text: `Incoming.ofObject` of the request. */
export const ack = (incoming: string | undefined): string => `{${acknowledged(incoming)}}`

/** Clients look for the one key or the other. */
const acknowledged = (incoming: string | undefined): string =>
  `"ack":{${incoming === undefined ? "" : `"incoming_message":${incoming}`}},"ack_response":true`

/** The answer to a `cancel_all_after`; `dueMillis` is 0 where nothing is due. */
export const cancelAllAfterResponse = (
  timeoutSeconds: number,
  dueMillis: number,
  incoming: string | undefined
): string => {
  const cancelAt = dueMillis === 0 ? null : dueMillis / 1_000
  const response = `{"timeout_secs":${timeoutSeconds},"cancel_at":${cancelAt}}`
  return `{"cancel_all_after_response":${response},${acknowledged(incoming)}}`
}

/** The answer to a `set_user_leverage` that the trader refused. */
export const leverageRefused = (
  refusal: UnknownSymbol | NotALevel | LeverageInUse,
  incoming: string | undefined
): string => err("InvalidParameter", leverageMessage(refusal), incoming)

const leverageMessage = (refusal: UnknownSymbol | NotALevel | LeverageInUse): string => {
  switch (refusal._tag) {
    case "UnknownSymbol":
      return `unknown symbol ${refusal.symbol}`
    case "NotALevel":
      return `leverage ${refusal.leverage} is not available: expected a whole number from 1 to ${refusal.maxLeverage}`
    case "LeverageInUse":
      return `leverage of ${refusal.symbol} is fixed while it has open orders or a position`
  }
}
