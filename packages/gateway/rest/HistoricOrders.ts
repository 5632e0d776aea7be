/** Handles `GET /user/historic-orders` and `GET /historic-orders-csv`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { historicOrder, historicOrdersFilter, historicOrdersFile } from "@venue/api/rest/HistoricOrders"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as Orders from "@venue/storage/history/Orders"
import { projection } from "@venue/storage/history/Trading"
import { Effect } from "effect"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { Lists } from "./Lists.ts"

export const layer = group(
  Api,
  "historicOrders",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const lists = yield* Lists
    const { instruments } = yield* VenueSettings
    return handlers
      .handle("historicOrders", ({ query }) => {
        const filter = historicOrdersFilter(query)
        return Effect.map(
          lists.page({
            projection,
            filter,
            query: (accountId) => Orders.page({ ...filter, accountId }),
            count: (accountId) => Orders.count({ ...filter, accountId })
          }),
          ({ count, rows }) => ({
            $schema: schemaUri(baseUrl, "HistoricOrdersResponseBody"),
            data: rows.map((row) => historicOrder(instruments.get(row.symbol)!, row)),
            count
          })
        )
      })
      .handle("historicOrdersCsv", () =>
        lists.download({
          projection,
          listing: (accountId) => Orders.listing({ accountId }),
          file: historicOrdersFile
        })
      )
  })
)
