/** The channels that one connection hears. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/trade/Frame"
import type { Channel, Subscribe, Unsubscribe } from "@venue/api/trade/SessionCommand"
import * as Permission from "@venue/auth/access/Permission"
import type { Caller } from "@venue/auth/access/Caller"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"

export interface Subscriptions {
  readonly channels: Set<Channel>
  /** Every event of the account asks for these, so they are kept beside the set. */
  sendsOrders: boolean
  sendsFills: boolean
  sendsStops: boolean
  /** It hears something that is also sent once a second. */
  sendsPulses: boolean
  /** Positions that are closed, as they were told last. */
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
 * What may be heard is confirmed channel by channel; the rest of the message is refused. Answers whether a channel that is
 * told once a second was subscribed to, so that its first values are due.
 */
export const change = (
  subscriptions: Subscriptions,
  caller: Caller,
  asked: Subscribe | Unsubscribe,
  text: string,
  send: (text: string) => void
): boolean => {
  const { channels } = subscriptions
  const on = asked._tag === "Subscribe"
  const barred = on ? asked.channels.filter((channel) => !Permission.permits(caller, `channel ${channel}`)) : []
  for (const channel of asked.channels) {
    if (barred.includes(channel)) continue
    if (on) channels.add(channel)
    else channels.delete(channel)
    send(on ? Frame.subscribed(channel) : Frame.unsubscribed(channel))
  }
  if (asked.channels.includes("positions")) subscriptions.flat.clear()
  subscriptions.sendsOrders = channels.has("order_responses")
  subscriptions.sendsFills = channels.has("fills")
  subscriptions.sendsStops = channels.has("stop_orders")
  subscriptions.sendsPulses = pulsed.some((channel) => channels.has(channel))
  if (barred.length > 0) {
    send(Frame.err("PermissionDenied", `this key may not hear ${barred.join(", ")}`, Incoming.ofObject(text)))
  }
  for (const { code, message } of asked.declined) send(Frame.err(code, message, Incoming.ofObject(text)))
  return on && pulsed.some((channel) => asked.channels.includes(channel) && !barred.includes(channel))
}

const pulsed: ReadonlyArray<Channel> = ["positions", "balances"]
