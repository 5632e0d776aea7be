/**
 * A market-data reader written from the published documents alone, with `ws`, `fetch` and bigint decimals. It
 * computes candles, daily figures and best prices from trades and whole books.
 */
import { WebSocket } from "ws"

/** Price and size are in units of 1e-8, so their product is in 1e-16. */
export interface Trade {
  readonly id: string
  readonly symbol: string
  readonly atMillis: number
  readonly price: bigint
  readonly size: bigint
}

type Side = ReadonlyArray<readonly [price: string, size: string]>

interface Frame {
  readonly type?: string
  readonly sequence?: number
  readonly time: string
  readonly symbol: string
  readonly err?: object
  readonly trade_id: string
  readonly price: string
  readonly size: string
  readonly execution_type: string
  readonly bid: Side
  readonly ask: Side
  readonly start: string
  readonly resolution: string
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly usdVolume: number
  readonly trades: number
  readonly daily_volumes: ReadonlyArray<{ readonly volume: string }>
  readonly rolling_volumes: ReadonlyArray<{ readonly quantity_24h: string; readonly usd_notional_24h: string }>
}

export interface Reader {
  /** The last frame of each type and symbol; for candles, of each type, symbol, resolution and start time. */
  readonly last: ReadonlyMap<string, Frame>
  /** Frames out of order, repeated frames, and errors on this connection. */
  readonly faults: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export const minutes: Readonly<Record<string, number>> = {
  "1MIN": 1,
  "5MINS": 5,
  "15MINS": 15,
  "30MINS": 30,
  "1HOUR": 60,
  "4HOURS": 240,
  "1DAY": 1_440
}
const resolutions = Object.keys(minutes)
const minuteMillis = 60_000

/** Parses a plain decimal and returns it in units of 1e-8. */
export const decimal = (text: string): bigint => {
  const parts = /^(\d+)(?:\.(\d{1,8}))?$/.exec(text)
  if (parts === null) throw new Error(`no plain decimal: ${text}`)
  return BigInt(parts[1]! + (parts[2] ?? "").padEnd(8, "0"))
}

/** Formats a count of units of 10^-places as the shortest decimal. */
export const written = (count: bigint, places: number): string => {
  const digits = String(count).padStart(places + 1, "0")
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "")
}

/**
 * Subscribes to every channel of these symbols. Appends trades on the book to `trades`, which several connections
 * share.
 */
export const read = async (url: string, symbols: ReadonlyArray<string>, trades: Array<Trade>): Promise<Reader> => {
  const last = new Map<string, Frame>()
  const faults: Array<string> = []
  const known = new Set(trades.map(({ id }) => id))
  let sequence = 0
  const take = (frame: Frame) => {
    if (frame.err !== undefined) faults.push(JSON.stringify(frame))
    if (frame.sequence === undefined) return
    if (frame.sequence !== ++sequence) faults.push(`frame ${frame.sequence} arrived as number ${sequence}`)
    const { resolution, start, symbol, type } = frame
    if (type !== "trade")
      last.set([type, symbol, resolution, start].filter((part) => part !== undefined).join(" "), frame)
    else if (known.has(frame.trade_id)) faults.push(`trade ${frame.trade_id} arrived twice`)
    else if (frame.execution_type === "T" || frame.execution_type === "L") {
      known.add(frame.trade_id)
      const { price, size, time, trade_id } = frame
      trades.push({ id: trade_id, symbol, atMillis: Date.parse(time), price: decimal(price), size: decimal(size) })
    }
  }
  const socket = new WebSocket(url)
  socket.on("message", (data) => take(JSON.parse(String(data)) as Frame))
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => socket.once("open", resolve).once("error", reject))
  const channels = ["trade", "level2", "bbo", "candle", "market_stats"]
  socket.send(JSON.stringify({ type: "subscribe", channels, symbols, intervals: resolutions }))
  return {
    last,
    faults,
    close: () => {
      socket.close()
      return closed
    }
  }
}

/** Returns one line for each figure in which the reader, the streams and REST differ. */
export const differences = async (
  reader: Reader,
  restUrl: string,
  symbol: string,
  all: ReadonlyArray<Trade>
): Promise<ReadonlyArray<string>> => {
  const trades = all.filter((trade) => trade.symbol === symbol)
  const lines: Array<string> = [...reader.faults]
  const compare = (what: string, received: unknown, computed: unknown) => {
    if (JSON.stringify(received) !== JSON.stringify(computed))
      lines.push(`${symbol} ${what}: received ${JSON.stringify(received)}, computed ${JSON.stringify(computed)}`)
  }
  const get = async (path: string) => JSON.parse(await (await fetch(`${restUrl}${path}`)).text())

  for (const [key, candle] of reader.last) {
    if (candle.type !== "candle" || candle.symbol !== symbol) continue
    const made = candleOf(trades, Date.parse(candle.start), minutes[candle.resolution]!)
    if (made === undefined) continue
    const { close, high, low, open, usdVolume } = candle
    compare(
      key,
      [open, high, low, close, usdVolume, candle.trades],
      [...made.prices, Number(made.money / whole), made.count]
    )
  }

  const day = Date.now() - (Date.now() % minuteMillis) - 1_439 * minuteMillis
  const rolling = totalOf(trades.filter(({ atMillis }) => atMillis >= day))
  const daily = totalOf(trades.filter(({ atMillis }) => atMillis >= lastEveningInChicago()))
  const stats = reader.last.get(`market_stats ${symbol}`)
  compare("rolling_volumes", stats?.rolling_volumes, [
    { symbol, quantity_24h: written(rolling.size, 8), usd_notional_24h: written(rolling.money, 16) }
  ])
  compare("daily_volumes", stats?.daily_volumes, [{ symbol, volume: written(daily.size, 8) }])

  const book = reader.last.get(`level2 ${symbol}`)
  const best = reader.last.get(`bbo ${symbol}`)
  compare("bbo", [best?.bid, best?.ask], [book?.bid.slice(0, 1), book?.ask.slice(0, 1)])
  const { asks, bids } = await get(`/md/orderbook/${symbol}`)
  compare("/md/orderbook", [bids.slice(0, 20), asks.slice(0, 20)], [book?.bid, book?.ask])

  const [metrics, contract, listed] = await Promise.all(
    ["/symbols/metrics", "/md/contracts", "/refdata"].map(async (path) =>
      (await get(path)).data.find((row: Record<string, string>) => [row["symbol"], row["ticker_id"]].includes(symbol))
    )
  )
  compare("/symbols/metrics", String(metrics.volume_24h_usd_notional), written(rolling.money, 16))
  compare(
    "/md/contracts",
    [contract.target_volume, contract.last_price],
    [written(rolling.money, 16), written(trades.at(-1)?.price ?? 0n, 8)]
  )
  compare("price_change_24h", listed.price_change_24h, String(metrics.mark_price_change_24h_pct))

  for (const resolution of resolutions) {
    const length = minutes[resolution]! * minuteMillis
    const first = trades[0]!.atMillis - (trades[0]!.atMillis % length)
    const range = `fromISO=${new Date(first).toISOString()}&toISO=${new Date(Date.now() + length).toISOString()}`
    const { candles } = await get(`/candles/${symbol}?resolution=${resolution}&${range}`)
    for (const [at, candle] of candles.toReversed().entries()) {
      const made = candleOf(trades, first + at * length, minutes[resolution]!)!
      compare(
        `/candles ${resolution}`,
        [
          candle.startedAt,
          candle.open,
          candle.high,
          candle.low,
          candle.close,
          candle.baseTokenVolume,
          candle.usdVolume,
          candle.trades
        ],
        [startOf(first + at * length), ...made.prices, written(made.size, 8), written(made.money, 16), made.count]
      )
    }
    compare(`/candles ${resolution} reach`, candles.length > (trades.at(-1)!.atMillis - first) / length, true)
  }
  return lines
}

/** One dollar in units of 1e-16. */
const whole = 10n ** 16n

const startOf = (millis: number): string => new Date(millis).toISOString().replace(".000Z", "Z")

const totalOf = (trades: ReadonlyArray<Trade>) => ({
  size: trades.reduce((sum, { size }) => sum + size, 0n),
  money: trades.reduce((sum, { price, size }) => sum + price * size, 0n)
})

/**
 * Computes a candle of `length` minutes. Returns undefined before the first trade. A candle without a trade repeats
 * the last price.
 */
const candleOf = (trades: ReadonlyArray<Trade>, startMillis: number, length: number) => {
  const before = trades.filter(({ atMillis }) => atMillis < startMillis)
  const inside = trades.filter(
    ({ atMillis }) => atMillis >= startMillis && atMillis < startMillis + length * minuteMillis
  )
  const still = before.at(-1)
  if (inside.length === 0 && still === undefined) return undefined
  const prices = (inside.length === 0 ? [still!] : inside).map(({ price }) => price)
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return {
    prices: [prices[0]!, sorted.at(-1)!, sorted[0]!, prices.at(-1)!].map((price) => written(price, 8)),
    count: inside.length,
    ...totalOf(inside)
  }
}

/** Returns the most recent time at which it was 20:00 in Chicago, in Unix milliseconds. */
const lastEveningInChicago = (): number => {
  const hours = new Intl.DateTimeFormat("en-US", { timeZone: "America/Chicago", hour: "numeric", hourCycle: "h23" })
  let hour = Date.now() - (Date.now() % 3_600_000)
  while (hours.format(hour) !== "20") hour -= 3_600_000
  return hour
}
