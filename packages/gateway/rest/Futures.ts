/** Handles `GET /settlement-calendar` and `GET /settlement-prices`. */
import { instant } from "@venue/api/Digits"
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { settlementCalendarEntry, settlementPrice, settlementsFilter } from "@venue/api/rest/Futures"
import { caching } from "@venue/api/rest/Refdata"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { isFuturesBased } from "@venue/domain/Futures"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Count from "@venue/postgres/Count"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { Clock, Effect, Option, Semaphore } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export interface FuturesOptions {
  readonly brand: string
}

export const layer = ({ brand }: FuturesOptions) =>
  group(
    Api,
    "futures",
    Effect.fnUntraced(function* (handlers) {
      const baseUrl = yield* ApiBaseUrl
      const reference = yield* FuturesReference
      const { instruments } = yield* VenueSettings
      const queries = yield* Semaphore.make(maxFuturesQueries)
      const refusals = yield* apiProblems
      const read = <A>(query: Effect.Effect<A, DatabaseUnavailable>) =>
        Effect.mapError(queries.withPermit(query), () => refusals.draining())

      return handlers
        .handle(
          "settlementCalendar",
          Effect.fnUntraced(function* ({ query: { symbol: named, time } }) {
            const instrument = instruments.get(MarketSymbol.make(named.toUpperCase()))
            if (instrument === undefined) return yield* refusals.unknownSymbol(named)
            const { symbol } = instrument
            if (!isFuturesBased(instrument))
              return yield* refusals.noActiveFuture(
                `The price of ${symbol} is not based on futures; choose a symbol that is priced from futures.`
              )
            const atMillis = time ?? (yield* Clock.currentTimeMillis)
            const active = yield* read(reference.activeAt(symbol, atMillis))
            if (Option.isNone(active))
              return yield* refusals.noActiveFuture(
                `The settlement calendar has no future for ${symbol} at ${instant(atMillis)}; send another time.`
              )
            const $schema = schemaUri(baseUrl, "SettlementCalendarEntry")
            // Sent without a schema, because one member carries the operator's prefix.
            return HttpServerResponse.jsonUnsafe(
              { $schema, ...settlementCalendarEntry(brand, symbol, active.value) },
              { headers: caching }
            )
          })
        )
        .handle(
          "settlementPrices",
          Effect.fnUntraced(function* ({ query }) {
            const filter = settlementsFilter(query)
            if (filter.symbol !== undefined && !instruments.has(filter.symbol))
              return yield* refusals.unknownSymbolFilter(filter.symbol)
            const { end = Infinity, start = -Infinity } = query
            if (start > end) return yield* refusals.rangeNotAllowed(start, end)
            const rows = yield* read(reference.settlements(filter))
            const page = { limit: filter.limit, offset: 0 }
            const count = yield* Count.total(page, rows.length, read(reference.countSettlements(filter)))
            const data = rows.map(settlementPrice)
            return HttpApiSchema.withHeaders({
              body: { $schema: schemaUri(baseUrl, "SettlementPricesResponseBody"), data, count },
              headers: caching
            })
          })
        )
    })
  )

/** Maximum number of concurrent queries of both endpoints together; the pool's other connections stay free. */
export const maxFuturesQueries = 2
