/**
 * Writes and reads the few kinds of trade frames that a load needs. It builds no objects, because the client shares
 * CPU cores with the server.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Kind } from "./Flow.ts"

export interface Key {
  readonly publicKey: string
  readonly secretKey: string
}

/** Conversion of flow records to orders for one instrument. */
export interface Mapping {
  readonly symbol: string
  readonly ticksPerUnit: number
  readonly lotsPerUnit: number
  /** Multiplier from the benchmark flow's lots to sent lots, so that orders stay above the minimum notional. */
  readonly lotsPerFlowLot: number
}

/**
 * AUD-USD has tick 0.00001 and lot 1, and its market price matches the benchmark flow's prices. FX contracts have the
 * highest limits for position and open interest, even at weekends, when limits shrink to a tenth.
 */
export const symbol = "AUD-USD"
export const startPrice = 0.65536
export const mapped = (lotsPerFlowLot: number): Mapping => ({
  symbol,
  ticksPerUnit: 100_000,
  lotsPerUnit: 1,
  lotsPerFlowLot
})

export const authFrame = (key: Key): string => {
  const nonce = randomBytes(16).toString("hex")
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac("sha256", key.secretKey).update(`${nonce}:${seconds}`).digest("hex")
  return JSON.stringify({
    type: "auth",
    params: { hmac: { public_key: key.publicKey, nonce, unix_ts: seconds, signature } }
  })
}

/**
 * Returns a command writer. Each client order id consists of `tag` and the order's id in the benchmark flow, so `tag`
 * must not end in a digit.
 */
export const commandWriter = (mapping: Mapping, tag: string) => {
  const named = `"symbol":"${mapping.symbol}"`
  const opening = `{"type":"add_order","params":{${named},"reduce_only":false,"side":"`
  const closing = `,"client_order_id":"${tag}`
  const cancel = `{"type":"cancel_order","params":{${named},"cancel_order_id_type":"client_order_id","order_id":"${tag}`
  return (kind: number, side: number, price: number, quantity: number, id: number): string => {
    if (kind === Kind.cancel) return `${cancel}${id}"}}`
    const size = `${side === 0 ? "BUY" : "SELL"}","quantity":${(quantity * mapping.lotsPerFlowLot) / mapping.lotsPerUnit}`
    const terms =
      kind === Kind.market
        ? `,"order_type":"MARKET","order_time_in_force":"IOC","price":0`
        : `,"order_type":"LIMIT","order_time_in_force":"GTC","price":${price / mapping.ticksPerUnit}`
    return `${opening}${size}${terms}${closing}${id}"}}`
  }
}

/** Returns an order response's status, or an empty string for any other frame. */
export const statusOf = (frame: string): string => {
  if (!frame.startsWith(`{"order_response":`)) return ""
  const start = frame.indexOf(`"status":"`) + 10
  return frame.slice(start, frame.indexOf(`"`, start))
}

/**
 * Returns a function that reads an order's id in the benchmark flow from a client order id with this tag. The
 * function returns 0 for another load's order.
 */
export const idReader = (tag: string) => {
  const mark = `order_id":"${tag}`
  return (frame: string): number => {
    const start = frame.indexOf(mark)
    if (start < 0) return 0
    let id = 0
    for (let i = start + mark.length; i < frame.length; i++) {
      const digit = frame.charCodeAt(i) - 48
      if (digit < 0 || digit > 9) break
      id = id * 10 + digit
    }
    return id
  }
}
