/** Reads charts from tables that include every row that this gateway has published for the symbol. */
import {
  type BadRequest,
  type NotFound,
  type Problems,
  type ServiceUnavailable,
  type TooManyRequests
} from "@venue/api/Problem"
import { lengthFault, type Lengths } from "@venue/api/rest/ChartRange"
import { Feed } from "@venue/cluster/feed/Feed"
import type { Instrument } from "@venue/domain/Instrument"
import { minuteMillis } from "@venue/domain/Minute"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Prices from "@venue/storage/history/Prices"
import type { MarketProjection } from "@venue/storage/history/Projection"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Windows from "@venue/storage/history/Windows"
import { Clock, Context, Effect, Layer, Schedule, type Scope, Semaphore } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import type { ChargeMore } from "../http/Refusal.ts"
import { weightOf } from "../http/RequestWeight.ts"
import * as Places from "./Places.ts"

export interface ChartRange<Length> {
  readonly symbol: string
  readonly length: Length
  readonly fromMillis: number
  readonly toMillis: number
}

/** Instrument and windows of a chart, limited to windows with data. */
export interface Chart {
  readonly instrument: Instrument
  readonly windows: Windows.Windows
}

type Refused = BadRequest | NotFound | TooManyRequests | ServiceUnavailable

export interface ChartsOptions {
  readonly makeChargeMore: Effect.Effect<ChargeMore, never, ApiBaseUrl>
  /** Network address of the client that sent the request. */
  readonly sender: Effect.Effect<string, never, HttpServerRequest.HttpServerRequest>
}

export class Charts extends Context.Service<
  Charts,
  {
    /**
     * Validates a chart request and waits until the tables of `groups` have caught up; fails after 2 s. A chart with
     * several parts occupies one of the client address's slots until the scope closes.
     */
    readonly open: <Length>(
      range: ChartRange<Length>,
      lengths: Lengths<Length>,
      groups: ReadonlyArray<MarketProjection>
    ) => Effect.Effect<Chart, Refused, HttpServerRequest.HttpServerRequest | Scope.Scope>
    readonly read: <A>(query: ReadQuery<A>) => Effect.Effect<A, ServiceUnavailable>
  }
>()("@venue/gateway/rest/Charts") {
  static readonly layer = ({ makeChargeMore, sender }: ChartsOptions) =>
    Layer.effect(
      Charts,
      Effect.gen(function* () {
        const feed = yield* Feed
        const tables = yield* ReadTables
        const queries = yield* Semaphore.make(maxChartQueries)
        const chargeMore = yield* makeChargeMore
        const refusals = yield* apiProblems
        const unavailable = () => refusals.draining()
        const place = Places.make({
          maxOfOne: maxOfAddress,
          maxOfAll,
          tooMany: refusals.tooManyCharts,
          full: refusals.chartsFull
        })

        const caughtUp = (symbol: MarketSymbol, groups: ReadonlyArray<MarketProjection>) => {
          const seq = feed.head(symbol)?.seq ?? 0
          return queries.withPermit(tables.positions(groups, [symbol])).pipe(
            Effect.repeat({
              schedule: Schedule.spaced("20 millis"),
              until: ([position = 0]) => position >= seq
            }),
            Effect.timeout(patience),
            Effect.mapError(unavailable)
          )
        }
        const read = <A>(query: ReadQuery<A>) => Effect.mapError(queries.withPermit(tables.read(query)), unavailable)

        const open = Effect.fn("Charts.open")(function* <Length>(
          { fromMillis, length, symbol: name, toMillis }: ChartRange<Length>,
          { expected, minutesOf }: Lengths<Length>,
          groups: ReadonlyArray<MarketProjection>
        ) {
          const symbol = MarketSymbol.make(name.toUpperCase())
          const instrument = feed.instruments.get(symbol)
          if (instrument === undefined) return yield* refusals.unknownSymbol(name)
          const minutes = minutesOf(length)
          if (minutes === undefined) return yield* refusals.intervalNotOffered(lengthFault(expected, length))
          if (fromMillis > toMillis) return yield* refusals.rangeNotAllowed(fromMillis, toMillis)
          yield* caughtUp(symbol, [...new Set([...groups, Prices.projection])])
          const first = yield* read(Prices.firstMinute(symbol))
          if (first === undefined) return { instrument, windows: Windows.between(symbol, minutes, 0, 0) }
          const now = yield* Clock.currentTimeMillis
          const from = Math.max(fromMillis, (first - (first % minutes)) * minuteMillis)
          const to = Math.min(toMillis, now + 1)
          const range = (to - from) / minuteMillis
          if (range > Windows.maxWindows * minutes) return yield* tooLong(refusals, minutes, range)
          const windows = Windows.between(symbol, minutes, from, to)
          const more = Math.ceil(Windows.count(windows) / windowsOfWeight) - weightOf(chartAction)
          if (more > 0) yield* chargeMore(more)
          if (Windows.parts(windows).length > 1) yield* place(yield* sender)
          return { instrument, windows }
        })

        return Charts.of({ open, read })
      })
    )
}

const tooLong = (refusals: Problems, minutes: number, rangeMinutes: number) =>
  refusals.rangeTooLong(
    `The largest range for ${minutes}-minute windows is ${Windows.maxWindows * minutes} minutes (${Windows.maxWindows} windows): ` +
      `got ${Math.ceil(rangeMinutes)} minutes. Shorten the range, or choose a longer interval.`
  )

/**
 * Number of windows for each unit of a chart's weight. The weight is at least the endpoint's own, which is the same
 * for all charts.
 */
const windowsOfWeight = 1_000
const chartAction = "GET /candles/:symbol"

/**
 * Maximum number of multi-part charts that are sent at once, per address and in total. Each holds one part of 1,000
 * windows, about 400 kB of text, until its client has received the part. In total they hold at most about 25 MB.
 */
const maxOfAddress = 8
const maxOfAll = 64

/** Time limit for the tables to catch up. */
const patience = "2 seconds"
/** Maximum number of concurrent chart queries; the pool's other connections stay free for other readers. */
export const maxChartQueries = 2
