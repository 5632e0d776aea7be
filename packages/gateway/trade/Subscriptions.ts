/** Channel subscriptions of one connection. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/trade/Frame"
import type { Channel, Subscribe, Unsubscribe } from "@venue/api/trade/SessionCommand"
import * as Permission from "@venue/auth/access/Permission"
import type { Caller } from "@venue/auth/access/Caller"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"

export interface Subscriptions {
  readonly channels: Set<Channel>
  /** The members of `channels` as flags, because every account event reads them. */
  sendsOrders: boolean
  sendsFills: boolean
  sendsStops: boolean
  /** True for a subscription to positions or balances, whose values are sent once a second. */
  sendsPulses: boolean
  /** Last frame sent for each closed position. */
  readonly flat: Map<MarketSymbol, string>
}

export const make = (): Subscriptions => ({
  channels: new Set(),
  sendsOrders: false,
  sendsFills: false,
  sendsStops: false,
  sendsPulses: false,
  flat: new Map()
})

/**
 * Applies a subscribe or unsubscribe message: confirms each permitted channel and refuses the others. Returns true if
 * the first values of positions or balances must be sent.
 */
export const change = (
  subscriptions: Subscriptions,
  caller: Caller,
  message: Subscribe | Unsubscribe,
  text: string,
  send: (text: string) => void
): boolean => {
  const { channels } = subscriptions
  const isSubscribe = message._tag === "Subscribe"
  const barred = isSubscribe
    ? message.channels.filter((channel) => !Permission.permits(caller, `channel ${channel}`))
    : []
  for (const channel of message.channels) {
    if (barred.includes(channel)) continue
    if (isSubscribe) channels.add(channel)
    else channels.delete(channel)
    send(isSubscribe ? Frame.subscribed(channel) : Frame.unsubscribed(channel))
  }
  if (message.channels.includes("positions")) subscriptions.flat.clear()
  subscriptions.sendsOrders = channels.has("order_responses")
  subscriptions.sendsFills = channels.has("fills")
  subscriptions.sendsStops = channels.has("stop_orders")
  subscriptions.sendsPulses = pulsed.some((channel) => channels.has(channel))
  if (barred.length > 0) {
    send(
      Frame.err(
        "PermissionDenied",
        `this key is not allowed to subscribe to ${barred.join(", ")}`,
        Incoming.ofObject(text)
      )
    )
  }
  for (const { code, message: reason } of message.declined) send(Frame.err(code, reason, Incoming.ofObject(text)))
  return isSubscribe && pulsed.some((channel) => message.channels.includes(channel) && !barred.includes(channel))
}

const pulsed: ReadonlyArray<Channel> = ["positions", "balances"]
