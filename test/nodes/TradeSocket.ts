/**
 * A trade client written from the published protocol, with `ws` and `node:crypto`. It checks frames against their
 * schemas.
 */
import { createHmac, randomBytes } from "node:crypto"
import { WebSocket } from "ws"
import * as FrameFaults from "../FrameFaults.ts"
import { frameFault } from "../SocketFrames.ts"
import type { User } from "./DevApp.ts"

export interface OrderRow {
  readonly order_id: string
  readonly symbol: string
  readonly status: string
  readonly quantity: number
  readonly price: number
  readonly side: "BUY" | "SELL"
  readonly client_order_id: string
  readonly quantity_remaining: number
  readonly trade_id: string | null
}

export interface TradeRow {
  readonly trade_id: string
  readonly order_id: string
  readonly client_order_id: string
  readonly symbol: string
  readonly price: number
  readonly quantity: number
  readonly side: "BUY" | "SELL"
  readonly fee: number
  readonly realised_pnl: number
}

export interface PositionRow {
  readonly symbol: string
  readonly position: number
  readonly realised_pnl: number
}

export interface BalanceRow {
  readonly deposit: number
  readonly fees: number
  readonly realised_pnl: number
  readonly net_funding: number
  readonly available_balance: number
}

export interface Frame {
  readonly authenticated?: boolean
  readonly subscribed?: string
  readonly order_response?: OrderRow
  readonly fill_response?: TradeRow
  readonly position_response?: PositionRow
  readonly balance_response?: BalanceRow
  readonly all_orders_response?: { readonly orders: ReadonlyArray<OrderRow> }
  readonly user_trades_response?: ReadonlyArray<TradeRow>
  readonly ack?: object
  readonly cancel_all_after_response?: { readonly timeout_secs: number; readonly cancel_at: number | null }
  readonly err?: {
    readonly error_code: string
    readonly message?: string
    readonly incoming_message?: { readonly type: string; readonly params: Readonly<Record<string, unknown>> }
  }
}

export interface TradeSocket {
  readonly send: (type: string, params: object) => void
  /** Returns the first defined result of `pick` on a later frame. Fails if the socket closes first. */
  readonly next: <A>(pick: (frame: Frame) => A | undefined) => Promise<A>
  /** Resolves when the socket is closed and every frame has been received. */
  readonly closed: Promise<void>
  readonly isOpen: () => boolean
  readonly close: () => Promise<void>
}

/** Opens a connection and signs in. Retries while the account cannot be loaded. */
export const open = async (
  url: string,
  user: User,
  receive: (frame: Frame) => void = () => {}
): Promise<TradeSocket> => {
  const ws = new WebSocket(url)
  const waiting = new Set<(frame: Frame) => boolean>()
  const refusals = new Set<(reason: Error) => void>()
  ws.on("message", (data) => {
    FrameFaults.add(frameFault("trade", String(data)))
    const frame = JSON.parse(String(data)) as Frame
    receive(frame)
    for (const offer of waiting) if (offer(frame)) waiting.delete(offer)
  })
  let failure = "the socket was closed"
  ws.on("error", (error) => (failure = error.message))
  const closed = new Promise<void>((resolve) => ws.once("close", () => resolve()))
  void closed.then(() => {
    for (const refuse of refusals) refuse(new Error(failure))
  })
  const socket: TradeSocket = {
    send: (type, params) => {
      if (ws.readyState === WebSocket.OPEN) ws.send(JSON.stringify({ type, params }))
    },
    next: (pick) =>
      new Promise((resolve, reject) => {
        refusals.add(reject)
        if (ws.readyState > WebSocket.OPEN) reject(new Error(failure))
        waiting.add((frame) => {
          const picked = pick(frame)
          if (picked === undefined) return false
          refusals.delete(reject)
          resolve(picked)
          return true
        })
      }),
    closed,
    isOpen: () => ws.readyState === WebSocket.OPEN,
    close: () => {
      ws.close()
      return closed
    }
  }
  await new Promise<void>((resolve, reject) => {
    ws.once("open", resolve)
    ws.once("error", reject)
  })
  await insist(
    socket,
    "auth",
    () => ({ hmac: signed(user) }),
    ({ authenticated }) => authenticated
  )
  return socket
}

/**
 * Sends the command and returns its response. Repeats the command for up to ten minutes while the venue responds
 * with `ServerError`.
 */
export const insist = async <A>(
  socket: TradeSocket,
  type: string,
  params: () => object,
  pick: (frame: Frame) => A | undefined
): Promise<A> => {
  const deadline = performance.now() + 600_000
  while (true) {
    socket.send(type, params())
    const answer = await socket.next<{ readonly value: A } | { readonly error: string }>((frame) => {
      const value = pick(frame)
      if (value !== undefined) return { value }
      return frame.err === undefined ? undefined : { error: JSON.stringify(frame.err) }
    })
    if ("value" in answer) return answer.value
    if (!answer.error.includes('"ServerError"') || performance.now() > deadline) {
      throw new Error(`${type} was answered ${answer.error}`)
    }
    await new Promise((again) => setTimeout(again, 100))
  }
}

/** Subscribes to the channels and waits for the confirmation of the last one. */
export const subscribe = async (socket: TradeSocket, channels: ReadonlyArray<string>): Promise<void> => {
  const last = socket.next(({ subscribed }) => (subscribed === channels.at(-1) ? true : undefined))
  socket.send("subscribe", { channels })
  await last
}

/** Returns a credential for one `auth` message. */
export const signed = (user: User) => {
  const nonce = randomBytes(16).toString("hex")
  const unix_ts = Math.floor(Date.now() / 1000)
  const signature = createHmac("sha256", user.secret_key).update(`${nonce}:${unix_ts}`).digest("hex")
  return { public_key: user.public_key, nonce, unix_ts, signature }
}
