/** Answers `GET /user/trade`. */
import { problems, schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { tradeRecord, tradesAsked } from "@venue/api/rest/Trade"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Effect } from "effect"
import { History } from "../History.ts"
import { group } from "../http/Endpoints.ts"
import { rateExceeded } from "../http/Refusal.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "trade",
    Effect.fnUntraced(function* (handlers) {
      const history = yield* History
      const { instruments } = yield* VenueSettings
      const refusals = problems(baseUrl)
      return handlers.handle(
        "trades",
        Effect.fnUntraced(
          function* ({ query }) {
            const { accountId, userId } = yield* Caller
            const asked = tradesAsked(query)
            if (asked.symbol !== undefined && !instruments.has(asked.symbol)) {
              return yield* refusals.unknownSymbolFilter(asked.symbol)
            }
            const { endMillis = Infinity, startMillis = -Infinity } = asked
            if (startMillis >= endMillis) return yield* refusals.rangeNotAllowed()
            const rows = yield* history.trades({ userId, accountId, cost: noCost }, asked)
            return {
              $schema: schemaUri(baseUrl, "TradesResponseBody"),
              data: rows.map((row) => tradeRecord(instruments.get(row.symbol)!, row)),
              count: rows.length
            }
          },
          Effect.catchTags({
            Unavailable: () => Effect.fail(refusals.draining()),
            RateLimited: (limited) => rateExceeded(refusals, limited)
          })
        )
      )
    })
  )
