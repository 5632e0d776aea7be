/** A trade socket that records its history: each message before it is sent, and each frame when it arrives. */
import { WebSocket } from "ws"
import * as FrameFaults from "../FrameFaults.ts"
import { frameFault } from "../SocketFrames.ts"
import { type History, now } from "./History.ts"
import type { Frame, Incoming } from "./HistoryLine.ts"
import { type Key, signed } from "./Signing.ts"

/** Any frame on the socket. Frames about the connection itself are not recorded. */
export type AnyFrame = Frame & {
  readonly authenticated?: boolean
  readonly subscribed?: string
  readonly cancel_on_disconnect?: boolean
  readonly user_trades_response?: ReadonlyArray<unknown>
}

export interface TradeConnection {
  readonly name: string
  readonly gateway: string
  readonly send: (type: string, params: Incoming["params"]) => void
  readonly isOpen: () => boolean
  /** Drops the connection without a close frame, so that the venue has to detect the loss. */
  readonly drop: () => void
  readonly closed: Promise<void>
}

export interface Place {
  readonly name: string
  readonly trade: string
}

const channels = ["order_responses", "fills", "positions", "stop_orders"]
const openMillis = 4_000

/** Opens an authenticated connection with subscriptions. Fails if the gateway does not respond. */
export const open = (
  history: History,
  { name, key, account }: { readonly name: string; readonly key: Key; readonly account: string },
  { name: gateway, trade }: Place,
  hear: (frame: AnyFrame) => void
): Promise<TradeConnection> =>
  new Promise((tell, refuse) => {
    const ws = new WebSocket(trade, { handshakeTimeout: openMillis })
    let isReady = false
    let isOurs = false
    const over = Promise.withResolvers<void>()
    const send = (type: string, params: object) => ws.send(JSON.stringify({ type, params }))
    const patience = setTimeout(() => ws.terminate(), openMillis)
    const connection: TradeConnection = {
      name,
      gateway,
      send: (type, params) => {
        if (ws.readyState !== WebSocket.OPEN) return
        history.write({ kind: "sent", at: now(), connection: name, type, params })
        send(type, params)
      },
      isOpen: () => ws.readyState === WebSocket.OPEN,
      drop: () => {
        isOurs = true
        ws.terminate()
      },
      closed: over.promise
    }
    ws.on("open", () => send("auth", { hmac: signed(key) }))
    ws.on("error", () => {})
    ws.on("close", () => {
      clearTimeout(patience)
      if (isReady) history.write({ kind: "closed", at: now(), connection: name, isOurs })
      else refuse(new Error(`${gateway} let nobody in`))
      over.resolve()
    })
    const funding = new Map<string, number>()
    ws.on("message", (data) => {
      const at = now()
      FrameFaults.add(frameFault("trade", String(data)))
      const frame = JSON.parse(String(data)) as AnyFrame
      if (isReady) {
        if (isWorthKeeping(frame, funding)) history.write({ kind: "heard", at, connection: name, frame })
        return hear(frame)
      }
      if (frame.authenticated === true) return send("subscribe", { channels })
      if (frame.err !== undefined) return ws.terminate()
      if (frame.subscribed !== channels.at(-1)) return
      clearTimeout(patience)
      isReady = true
      history.write({ kind: "opened", at, connection: name, account, through: gateway })
      tell(connection)
    })
  })

/** Positions arrive several times a second, so only changes in their funding are recorded. */
const isWorthKeeping = (frame: AnyFrame, funding: Map<string, number>): boolean => {
  const { ack, err, fill_response, order_response, position_response, twap_response } = frame
  if (position_response !== undefined) {
    const { net_funding, symbol } = position_response
    const isNew = funding.get(symbol) !== net_funding
    funding.set(symbol, net_funding)
    return isNew
  }
  return [ack, err, fill_response, order_response, twap_response].some((one) => one !== undefined)
}
