/** Handles `GET /user/historic-twaps` and `GET /historic-twaps-csv`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { historicTwap, historicTwapsFilter, historicTwapsFile } from "@venue/api/rest/HistoricTwaps"
import { symbolFrom } from "@venue/api/rest/ListPage"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as Twaps from "@venue/storage/history/Twaps"
import { Effect } from "effect"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { Lists } from "./Lists.ts"

const { projection } = Twaps

export const layer = group(
  Api,
  "historicTwaps",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const lists = yield* Lists
    const { instruments } = yield* VenueSettings
    return handlers
      .handle("historicTwaps", ({ query }) => {
        const filter = historicTwapsFilter(query)
        return Effect.map(
          lists.page({
            projection,
            filter,
            query: (accountId) => Twaps.page({ ...filter, accountId }),
            count: (accountId) => Twaps.count({ ...filter, accountId })
          }),
          ({ count, rows }) => ({
            $schema: schemaUri(baseUrl, "HistoricTwapsResponseBody"),
            data: rows.map((row) => historicTwap(instruments.get(row.symbol)!, row)),
            count
          })
        )
      })
      .handle("historicTwapsCsv", ({ query }) => {
        const symbol = symbolFrom(query.symbol)
        return lists.download({
          projection,
          symbol,
          listing: (accountId) => Twaps.listing({ accountId, symbol }),
          file: historicTwapsFile
        })
      })
  })
)
