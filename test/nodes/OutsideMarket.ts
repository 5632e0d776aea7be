/**
 * A reader of market data as anybody would write one from the published pages: `ws` and `fetch`, decimals counted in bigint, and
 * nothing of the venue's. It makes candles, figures of a day and best prices of what was traded and of whole books by itself.
 */
import { WebSocket } from "ws"

/** Prices and sizes in 1e-8, so that money is in 1e-16. */
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
  /** The last of each kind that came, by symbol; of candles by symbol, length and start. */
  readonly last: ReadonlyMap<string, Frame>
  /** What this connection was told in the wrong order, twice, or as an error. */
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

/** Counts a plain decimal in 1e-8. */
export const decimal = (text: string): bigint => {
  const parts = /^(\d+)(?:\.(\d{1,8}))?$/.exec(text)
  if (parts === null) throw new Error(`no plain decimal: ${text}`)
  return BigInt(parts[1]! + (parts[2] ?? "").padEnd(8, "0"))
}

/** The shortest decimal of a count of so many places. */
export const written = (count: bigint, places: number): string => {
  const digits = String(count).padStart(places + 1, "0")
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "")
}

/** Hears all there is of these symbols; what is traded on the book is added to `trades`, which outlive connections. */
export const read = async (url: string, symbols: ReadonlyArray<string>, trades: Array<Trade>): Promise<Reader> => {
  const last = new Map<string, Frame>()
  const faults: Array<string> = []
  const known = new Set(trades.map(({ id }) => id))
  let sequence = 0
  const hear = (frame: Frame) => {
    if (frame.err !== undefined) faults.push(JSON.stringify(frame))
    if (frame.sequence === undefined) return
    if (frame.sequence !== ++sequence) faults.push(`${frame.sequence} came as number ${sequence}`)
    const { resolution, start, symbol, type } = frame
    if (type !== "trade")
      last.set([type, symbol, resolution, start].filter((part) => part !== undefined).join(" "), frame)
    else if (known.has(frame.trade_id)) faults.push(`${frame.trade_id} came twice`)
    else if (frame.execution_type === "T" || frame.execution_type === "L") {
      known.add(frame.trade_id)
      const { price, size, time, trade_id } = frame
      trades.push({ id: trade_id, symbol, atMillis: Date.parse(time), price: decimal(price), size: decimal(size) })
    }
  }
  const socket = new WebSocket(url)
  socket.on("message", (data) => hear(JSON.parse(String(data)) as Frame))
  const closed = new Promise<void>((tell) => socket.once("close", () => tell()))
  await new Promise<void>((tell, refuse) => socket.once("open", tell).once("error", refuse))
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

/** What one of these knows, another says differently: one line for each. Undefined where there is nothing to compare yet. */
export const differences = async (
  reader: Reader,
  restUrl: string,
  symbol: string,
  all: ReadonlyArray<Trade>
): Promise<ReadonlyArray<string>> => {
  const trades = all.filter((trade) => trade.symbol === symbol)
  const found: Array<string> = [...reader.faults]
  const compare = (what: string, told: unknown, made: unknown) => {
    if (JSON.stringify(told) !== JSON.stringify(made))
      found.push(`${symbol} ${what}: told ${JSON.stringify(told)}, made ${JSON.stringify(made)}`)
  }
  const get = async (path: string) => JSON.parse(await (await fetch(`${restUrl}${path}`)).text())

  for (const [key, told] of reader.last) {
    if (told.type !== "candle" || told.symbol !== symbol) continue
    const made = candleOf(trades, Date.parse(told.start), minutes[told.resolution]!)
    if (made === undefined) continue
    const { close, high, low, open, usdVolume } = told
    compare(
      key,
      [open, high, low, close, usdVolume, told.trades],
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
    for (const [at, told] of candles.toReversed().entries()) {
      const made = candleOf(trades, first + at * length, minutes[resolution]!)!
      compare(
        `/candles ${resolution}`,
        [told.startedAt, told.open, told.high, told.low, told.close, told.baseTokenVolume, told.usdVolume, told.trades],
        [startOf(first + at * length), ...made.prices, written(made.size, 8), written(made.money, 16), made.count]
      )
    }
    compare(`/candles ${resolution} reach`, candles.length > (trades.at(-1)!.atMillis - first) / length, true)
  }
  return found
}

/** One dollar in 1e-16. */
const whole = 10n ** 16n

const startOf = (millis: number): string => new Date(millis).toISOString().replace(".000Z", "Z")

const totalOf = (trades: ReadonlyArray<Trade>) => ({
  size: trades.reduce((sum, { size }) => sum + size, 0n),
  money: trades.reduce((sum, { price, size }) => sum + price * size, 0n)
})

/** Undefined while nothing was traded by its end. */
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

/** The last time that it was 20:00 there, which is at a whole hour everywhere. */
const lastEveningInChicago = (): number => {
  const hours = new Intl.DateTimeFormat("en-US", { timeZone: "America/Chicago", hour: "numeric", hourCycle: "h23" })
  let hour = Date.now() - (Date.now() % 3_600_000)
  while (hours.format(hour) !== "20") hour -= 3_600_000
  return hour
}
