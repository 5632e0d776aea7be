/** Returns current prices from any live gateway, so that orders are priced close to their markets. */
import { WebSocket } from "ws"
import * as FrameFaults from "../FrameFaults.ts"
import { frameFault } from "../SocketFrames.ts"

export interface Marks {
  readonly of: (symbol: string) => number | undefined
  readonly stop: () => void
}

export const listen = (urls: ReadonlyArray<string>, symbols: ReadonlyArray<string>): Marks => {
  const marks = new Map<string, number>()
  let isOver = false
  let socket: WebSocket | undefined
  const connect = (attempt: number): void => {
    if (isOver) return
    const ws = new WebSocket(urls[attempt % urls.length]!, { handshakeTimeout: patienceMillis })
    socket = ws
    let heardAt = performance.now()
    const watch = setInterval(() => {
      if (performance.now() - heardAt > patienceMillis) ws.terminate()
    }, 1_000)
    ws.on("open", () => ws.send(JSON.stringify({ type: "subscribe", channels: ["mark_price"], symbols })))
    ws.on("error", () => {})
    ws.on("message", (data) => {
      heardAt = performance.now()
      FrameFaults.add(frameFault("market_data", String(data)))
      const frame = JSON.parse(String(data)) as { type?: string; symbol?: string; price?: string }
      if (frame.type === "mark_price") marks.set(frame.symbol!, Number(frame.price))
    })
    ws.on("close", () => {
      clearInterval(watch)
      setTimeout(() => connect(attempt + 1), 200)
    })
  }
  connect(0)
  return {
    of: (symbol) => marks.get(symbol),
    stop: () => {
      isOver = true
      socket?.terminate()
    }
  }
}

const patienceMillis = 5_000
