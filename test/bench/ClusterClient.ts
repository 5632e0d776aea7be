/** A plain cluster client. It sends each command after the response to the previous one, through any live gateway. */
import type { WebSocket } from "ws"
import { type BenchMarket, markets } from "./ClusterMarkets.ts"
import type { Cluster } from "./ClusterProcess.ts"
import type { Key } from "./LoadFrames.ts"
import { statusOf } from "./LoadFrames.ts"
import { connect } from "./TraderPair.ts"
import { after } from "./VenueProcess.ts"

/** A maker rests an order and cancels it; a taker sells to the best bid. */
export type Part = "maker" | "taker"

export interface ClusterClient {
  readonly market: BenchMarket
  /**
   * Number of commands by outcome: executed (`done`), refused or failed (`refused`), and without a response because
   * the connection closed (`unknown`).
   */
  readonly counts: { readonly done: number; readonly refused: number; readonly unknown: number }
  /** Time at which the last command was executed, by `performance.now()`. */
  readonly doneAt: () => number
  /** Last refusal of each kind, by status or error code. */
  readonly refusals: ReadonlyMap<string, string>
  /** Returns the client's current action, for the error message of a timeout. */
  readonly about: () => string
  readonly stop: () => Promise<void>
}

export interface ClientOptions {
  readonly urls: ReadonlyArray<string>
  readonly key: Key
  readonly market: BenchMarket
  readonly part: Part
  /** Prefix of the client order ids. */
  readonly tag: string
  /** Pause between a response and the next command. */
  readonly pauseMillis: number
  /** Number of executed commands after which the client stops. Unlimited by default. */
  readonly commands?: number
}

/** Returns one client per cluster user, distributed over all markets. One client in four is a taker. */
export const mostlyMakers = (
  { tradeUrls, users }: Pick<Cluster, "tradeUrls" | "users">,
  { pauseMillis, tag }: Pick<ClientOptions, "pauseMillis" | "tag">
): Promise<ReadonlyArray<ClusterClient>> =>
  Promise.all(
    users.map((user, n) =>
      begin({
        urls: tradeUrls,
        key: { publicKey: user.public_key, secretKey: user.secret_key },
        market: markets[n % markets.length]!,
        part: n % 4 === 3 ? "taker" : "maker",
        tag: `${tag}x${n}-`,
        pauseMillis
      })
    )
  )

export const begin = async (options: ClientOptions): Promise<ClusterClient> => {
  const { commands = Infinity, key, market, part, pauseMillis, tag, urls } = options
  const counts = { done: 0, refused: 0, unknown: 0 }
  const refusals = new Map<string, string>()
  let doneAt = -Infinity
  let sent = 0
  let doing = "connects"
  let resting = ""
  const state = { isStopped: false }
  let answered: ((how: "done" | "refused" | "unknown") => void) | undefined

  const read = (frame: string): void => {
    const status = statusOf(frame)
    if (status === "" && !frame.startsWith(`{"err"`)) return
    if (status !== "" && !frame.includes(`"${tag}${sent}"`)) return
    if (!frame.startsWith(`{"err"`) && done.has(status)) return answered?.("done")
    if (status === "FILLED" || status.startsWith("IOC_")) return
    refusals.set(status, frame)
    answered?.("refused")
  }
  const open = async (attempt: number): Promise<WebSocket> => {
    for (let next = attempt; ; next++) {
      const socket = await connect(urls[next % urls.length]!, key, ["order_responses"]).catch(() => undefined)
      if (socket === undefined) {
        await after(100)
        continue
      }
      socket.on("message", (data: Buffer) => read(data.toString("latin1")))
      socket.on("close", () => answered?.("unknown"))
      return socket
    }
  }
  const command = (): string => {
    const named = `"symbol":"${market.symbol}"`
    if (resting !== "") {
      return `{"type":"cancel_order","params":{${named},"cancel_order_id_type":"client_order_id","order_id":"${resting}"}}`
    }
    sent++
    const terms =
      part === "maker" ? `"side":"BUY","order_time_in_force":"GTC"` : `"side":"SELL","order_time_in_force":"IOC"`
    return (
      `{"type":"add_order","params":{${named},"reduce_only":false,${terms},"order_type":"LIMIT",` +
      `"quantity":${market.quantity},"price":${market.low},"client_order_id":"${tag}${sent}"}}`
    )
  }
  const work = async (): Promise<void> => {
    let attempt = Number(tag.replaceAll(/\D/g, ""))
    let socket = await open(attempt)
    while (counts.done < commands && !state.isStopped) {
      if (socket.readyState !== socket.OPEN) socket = await open(++attempt)
      const answer = new Promise<"done" | "refused" | "unknown">((resolve) => (answered = resolve))
      doing = command()
      socket.send(doing)
      const how = await answer
      answered = undefined
      counts[how]++
      if (how === "done") doneAt = performance.now()
      resting = how === "done" && part === "maker" && resting === "" ? `${tag}${sent}` : ""
      if (pauseMillis > 0) await after(pauseMillis)
    }
    socket.removeAllListeners("close")
    socket.terminate()
  }
  const working = work()
  return {
    market,
    counts,
    refusals,
    doneAt: () => doneAt,
    about: () => `${tag} ${JSON.stringify(counts)} ${doing} ${JSON.stringify([...refusals])}`,
    stop: () => {
      state.isStopped = true
      return working
    }
  }
}

/**
 * Statuses of an executed order or cancel. A cancel that arrives after its order was filled also counts as executed.
 */
const done: ReadonlySet<string> = new Set(["ACK", "CANCELLED", "NO_SUCH_ORDER"])
