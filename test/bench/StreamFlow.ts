/** Makes one trade per call, in each market in turn. The books stay constant. */
import type { WebSocket } from "ws"
import { type Key, statusOf } from "./LoadFrames.ts"
import { connect } from "./TraderPair.ts"

export interface FlowMarket {
  readonly symbol: string
  readonly midTicks: number
  readonly ticksPerUnit: number
  readonly quantity: number
}

export interface FlowOptions {
  readonly url: string
  readonly maker: Key
  readonly taker: Key
  readonly markets: ReadonlyArray<FlowMarket>
}

export interface StreamFlow {
  /**
   * Makes one trade in the next market: a taker takes one order at the best price, and the maker then replaces that
   * order.
   */
  readonly trade: () => void
  /** Returns why some orders made no trade, or undefined if every order traded. */
  readonly problem: () => string | undefined
  /** Cancels all orders. */
  readonly end: () => Promise<void>
}

/** Number of orders at the best price, many more than are taken at the same time. */
const ordersAtTouch = 64
/** Number of price levels in a book snapshot. */
const levels = 20
const patienceMillis = 60_000

export const open = async ({ maker: makerKey, markets, taker: takerKey, url }: FlowOptions): Promise<StreamFlow> => {
  const channels = ["order_responses"]
  const maker = await connect(url, makerKey, channels)
  const taker = await connect(url, takerKey, channels)
  const refused = new Map<string, number>()
  let placed = 0
  let whenPlaced = (): void => {}
  let whenCancelled = (): void => {}
  const listen = (socket: WebSocket): void => {
    socket.on("message", (data: Buffer) => {
      const frame = data.toString("latin1")
      const status = statusOf(frame)
      if (status === "ACK") {
        placed++
        whenPlaced()
      } else if (!fine.has(status) || frame.startsWith(`{"err"`)) {
        refused.set(status || frame, (refused.get(status || frame) ?? 0) + 1)
      } else if (frame.startsWith(`{"ack"`)) whenCancelled()
    })
    socket.on("close", (code: number) => refused.set(`a trader was cut off with ${code}`, 1))
  }
  listen(maker)
  listen(taker)

  let wanted = 0
  for (const market of markets) {
    for (const side of sides) {
      for (let level = 1; level <= levels; level++) {
        for (let order = 0; order < (level === 1 ? ordersAtTouch : 1); order++) {
          maker.send(limit(market, side, level, "GTC"))
          wanted++
        }
      }
    }
  }
  await new Promise<void>((resolve, reject) => {
    const patience = setTimeout(
      () => reject(new Error(`${placed} of ${wanted} orders were placed: ${JSON.stringify([...refused])}`)),
      patienceMillis
    )
    whenPlaced = () => {
      if (placed < wanted) return
      clearTimeout(patience)
      resolve()
    }
  })

  let made = 0
  return {
    trade: () => {
      const market = markets[made % markets.length]!
      const side = sides[Math.floor(made / markets.length) % 2]!
      made++
      // Takes an order from the opposite side, and then replaces the taken order.
      taker.send(limit(market, side, -1, "IOC"))
      maker.send(limit(market, side === "BUY" ? "SELL" : "BUY", 1, "GTC"))
    },
    problem: () => (refused.size === 0 ? undefined : JSON.stringify([...refused])),
    end: async () => {
      const cancelled = new Promise<void>((resolve) => {
        whenCancelled = resolve
        setTimeout(resolve, patienceMillis)
      })
      maker.send(`{"type":"cancel_all_orders","params":{}}`)
      await cancelled
      for (const socket of [maker, taker]) {
        socket.removeAllListeners()
        socket.on("error", () => {})
        socket.terminate()
      }
    }
  }
}

type Side = "BUY" | "SELL"
const sides: ReadonlyArray<Side> = ["BUY", "SELL"]

/** Statuses that orders should have after one was taken. Other frames have an empty status. */
const fine = new Set(["", "FILLED", "CANCELLED"])

/**
 * Returns a limit order priced this many ticks behind the mid price on its own side. -1 is the opposite side's best
 * price.
 */
const limit = (
  { midTicks, quantity, symbol, ticksPerUnit }: FlowMarket,
  side: Side,
  ticksAway: number,
  timeInForce: "GTC" | "IOC"
): string =>
  `{"type":"add_order","params":{"symbol":"${symbol}","reduce_only":false,"side":"${side}","quantity":${quantity},` +
  `"order_type":"LIMIT","order_time_in_force":"${timeInForce}","price":${
    (midTicks + (side === "BUY" ? -ticksAway : ticksAway)) / ticksPerUnit
  },"client_order_id":"s"}}`
