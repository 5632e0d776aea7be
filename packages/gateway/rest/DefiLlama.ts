/** Handles `GET /defillama/metrics`, using only the tables for queries. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { lengthFault, minutes as lengths } from "@venue/api/rest/ChartRange"
import { maxMetricWindows, maxRangeDays, minuteNanos, venueMetrics } from "@venue/api/rest/DefiLlama"
import { Feed } from "@venue/cluster/feed/Feed"
import { dayMillis } from "@venue/domain/Day"
import { type Instrument, valueDown } from "@venue/domain/Instrument"
import * as Candles from "@venue/storage/history/Candles"
import * as Prices from "@venue/storage/history/Prices"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import * as Windows from "@venue/storage/history/Windows"
import { Clock, Effect, Semaphore } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { PublicReads } from "./PublicReads.ts"

export const layer = group(
  Api,
  "defiLlama",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const { instruments, tradingStates } = yield* Feed
    const reads = yield* PublicReads
    const requests = yield* Semaphore.make(1)
    const refusals = yield* apiProblems
    const unavailable = () => Effect.fail(refusals.draining())

    const read = <A>(query: ReadQuery<A>) => Effect.catchTag(reads.read(query), "DatabaseUnavailable", unavailable)
    const windowsFor = Effect.fnUntraced(function* (query: Query) {
      const { fromISO: fromMillis, interval, intervalMinutes, toISO: toMillis } = query
      const length = intervalMinutes ?? (interval === undefined ? undefined : interval / minuteNanos)
      if (length === undefined)
        return yield* refusals.unfit("query.intervalMinutes", "Expected either intervalMinutes or interval")
      const minutes = lengths.minutesOf(length)
      if (minutes === undefined) return yield* refusals.intervalNotOffered(lengthFault(lengths.expected, length))
      if (fromMillis > toMillis) return yield* refusals.rangeNotAllowed(fromMillis, toMillis)
      const until = Math.min(toMillis, (yield* Clock.currentTimeMillis) + 1)
      const windowsOf = (symbol: Instrument["symbol"]) => Windows.between(symbol, minutes, fromMillis, until)
      const days = (until - fromMillis) / dayMillis
      if (days > maxRangeDays || days * 1_440 > maxMetricWindows * minutes)
        return yield* refusals.rangeTooLong(
          `A range can have at most ${maxRangeDays} days and at most ${maxMetricWindows} windows: got ${Math.ceil(days)} days with ${minutes}-minute windows. Shorten the range.`
        )
      return windowsOf
    })
    /** Returns a market's open interest at the end of each window; 0 after a delisted market's last price. */
    const openInterestOf = Effect.fnUntraced(function* (instrument: Instrument, windows: Windows.Windows) {
      const isDelisted = tradingStates.get(instrument.symbol) === "DELISTED"
      const lastMinute = isDelisted ? ((yield* read(Prices.lastMinute(instrument.symbol))) ?? 0) : Infinity
      const { beforeMinute, fromMinute, minutes } = windows
      const ends = { ...windows, fromMinute: fromMinute + minutes, beforeMinute: beforeMinute + minutes }
      const known = yield* read(Prices.openInterestAt(ends))
      return Windows.filled(ends, known).map(([end, row]) =>
        row === undefined || end > lastMinute ? 0n : BigInt(valueDown(instrument, row.openInterestLots, row.markE8))
      )
    })

    return handlers.handle(
      "venueMetrics",
      Effect.fnUntraced(function* ({ query }) {
        const windowsOf = yield* windowsFor(query)
        const listed = [...instruments.values()]
        const windows = windowsOf(listed[0]!.symbol)
        const starts = Windows.starts(windows)
        const [volumes, held] = yield* requests.withPermit(
          Effect.all([
            read(Candles.notionals([...instruments.keys()], windows)),
            Effect.forEach(listed, (instrument) => openInterestOf(instrument, windowsOf(instrument.symbol)))
          ])
        )
        const data = starts.map((start, at) =>
          venueMetrics(
            start,
            volumes.get(start) ?? 0n,
            held.reduce((sum, values) => sum + (values[at] ?? 0n), 0n)
          )
        )
        return HttpApiSchema.withHeaders({
          body: { $schema: schemaUri(baseUrl, "VenueMetricsResponseBody"), data },
          headers: { "cache-control": "public, max-age=60" }
        })
      })
    )
  })
)

interface Query {
  readonly fromISO: number
  readonly toISO: number
  readonly intervalMinutes?: number
  readonly interval?: number
}
