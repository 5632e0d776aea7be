/** Handles `GET /user/trade` and `GET /trades-csv`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { tradeRecord, tradesFilter, tradesFile } from "@venue/api/rest/Trade"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as Trades from "@venue/storage/history/Trades"
import { projection } from "@venue/storage/history/Trading"
import { Effect } from "effect"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { Lists } from "./Lists.ts"

export const layer = group(
  Api,
  "trade",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const lists = yield* Lists
    const { instruments } = yield* VenueSettings
    return handlers
      .handle("trades", ({ query }) => {
        const filter = tradesFilter(query)
        const { orderType, side } = filter
        return Effect.map(
          lists.page({
            projection,
            filter,
            query: (accountId) => Trades.page({ ...filter, accountId }),
            count: (accountId) => Trades.count({ ...filter, accountId }),
            isSearch: orderType !== undefined || side !== undefined
          }),
          ({ count, rows }) => ({
            $schema: schemaUri(baseUrl, "TradesResponseBody"),
            data: rows.map((row) => tradeRecord(instruments.get(row.symbol)!, row)),
            count
          })
        )
      })
      .handle("tradesCsv", () =>
        lists.download({ projection, listing: (accountId) => Trades.listing({ accountId }), file: tradesFile })
      )
  })
)
