/** Prints the frames of the trade socket. */
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

/** Response to a successful `auth`: some clients check `result`, others `authenticated`. */
export const authenticated = '{"type":"auth","result":"success","authenticated":true}'

/** Prints the confirmation of a subscription. */
export const subscribed = (channel: Channel): string => `{"subscribed":"${channel}"}`

/** Prints the confirmation of an unsubscription. */
export const unsubscribed = (channel: Channel): string => `{"unsubscribed":"${channel}"}`

/** Prints the frame of the channel `cancel_on_disconnect`: whether cancel on disconnect is on for the connection. */
export const cancelOnDisconnect = (armed: boolean): string => `{"cancel_on_disconnect":${armed}}`

/** Prints an acknowledgement; `incoming` is the echo's JSON text (`Incoming.ofObject`), `undefined` for no echo. */
export const ack = (incoming: string | undefined): string => `{${acknowledged(incoming)}}`

/** Some clients check `ack`, others `ack_response`. */
const acknowledged = (incoming: string | undefined): string =>
  `"ack":{${incoming === undefined ? "" : `"incoming_message":${incoming}`}},"ack_response":true`

/**
 * Prints the response to a `cancel_all_after`; `dueMillis` is the time of the cancel in Unix milliseconds, or 0 if
 * the switch is off.
 */
export const cancelAllAfterResponse = (
  timeoutSeconds: number,
  dueMillis: number,
  incoming: string | undefined
): string => {
  const cancelAt = dueMillis === 0 ? null : dueMillis / 1_000
  const response = `{"timeout_secs":${timeoutSeconds},"cancel_at":${cancelAt}}`
  return `{"cancel_all_after_response":${response},${acknowledged(incoming)}}`
}

/** Prints the response to a refused `set_user_leverage`. */
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
      return `leverage in ${refusal.symbol} cannot change: the account has open orders or a position there; cancel the orders and close the position first`
  }
}
