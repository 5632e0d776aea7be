/** Answers `GET /refdata`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { caching, refdataSymbol } from "@venue/api/rest/Refdata"
import { Feed } from "@venue/cluster/feed/Feed"
import { marketHours } from "@venue/domain/MarketHours"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { TradingState } from "@venue/domain/TradingState"
import { Clock, Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import * as MarkChange from "./MarkChange.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "refdata",
    Effect.fnUntraced(function* (handlers) {
      const feed = yield* Feed
      const { instruments } = feed
      const marks = new Map<MarketSymbol, MarkChange.Samples>()
      const sample = (symbol: MarketSymbol, mark: number, atMillis: number) => {
        marks.set(symbol, MarkChange.sampled(marks.get(symbol) ?? MarkChange.empty, mark, atMillis))
      }
      for (const [symbol, { atMillis, markE8 }] of feed.prices) sample(symbol, markE8, atMillis)
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          feed.watch(({ events, instrument }) => {
            for (const event of events) {
              if (event._tag === "Priced") sample(instrument.symbol, event.markE8, event.atMillis)
              else if (event._tag === "ContractSplit")
                marks.set(instrument.symbol, MarkChange.split(marks.get(instrument.symbol) ?? MarkChange.empty, event))
            }
          })
        ),
        (stop) => Effect.sync(stop)
      )

      return handlers.handle("refdata", ({ query }) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const ticker = query.ticker?.toUpperCase()
          const listed = Array.from(instruments.values()).filter(
            ({ symbol }) => ticker === undefined || symbol === ticker
          )
          const data = listed.map((instrument) => {
            const { symbol } = instrument
            const prices = feed.prices.get(symbol)
            return refdataSymbol(instrument, {
              oracleE8: prices?.oracleE8 ?? 0,
              minPriceTicks: prices?.minPriceTicks ?? 0,
              maxPriceTicks: prices?.maxPriceTicks ?? 0,
              changePercent: MarkChange.changePercent(marks.get(symbol) ?? MarkChange.empty, prices?.markE8 ?? 0, now),
              hours: marketHours(instrument),
              status: statusOf(feed.tradingStates.get(symbol) ?? "TRADING")
            })
          })
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "RefdataResponse"), type: "refdata" as const, data },
            headers: caching
          })
        })
      )
    })
  )

const statusOf = (state: TradingState) =>
  state === "TRADING" ? "ACTIVE" : state === "DELISTED" ? "DELISTED" : "INACTIVE"
