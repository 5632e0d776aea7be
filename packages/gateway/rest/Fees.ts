/** Answers `GET /user/fees`. */
import { problems, schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { feesOf } from "@venue/api/rest/Fees"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { noCost } from "@venue/cluster/protocol/Desk"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"
import { statusOf } from "./Refdata.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "fees",
    Effect.fnUntraced(function* (handlers) {
      const desks = yield* DeskClient
      const feed = yield* Feed
      const refusals = problems(baseUrl)
      return handlers.handle(
        "fees",
        Effect.fnUntraced(
          function* () {
            const { accountId, userId } = yield* Caller
            const tier = yield* desks.feeTier({ userId, accountId, cost: noCost })
            const active = [...feed.instruments.values()].filter(
              ({ symbol }) => statusOf(feed.tradingStates.get(symbol) ?? "TRADING") === "ACTIVE"
            )
            return { $schema: schemaUri(baseUrl, "FeesResponseBody"), fees: feesOf(active, tier) }
          },
          Effect.catchTags(unanswered(refusals))
        )
      )
    })
  )
