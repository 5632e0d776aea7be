/** Handles `GET /user/fees` and `GET /fees`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { baseFeesOf, feesOf } from "@venue/api/rest/Fees"
import { caching } from "@venue/api/rest/Refdata"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { noCost } from "@venue/cluster/protocol/Desk"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"
import { statusOf } from "./Refdata.ts"

const active = ({ instruments, tradingStates }: Feed["Service"]) =>
  [...instruments.values()].filter(({ symbol }) => statusOf(tradingStates.get(symbol) ?? "TRADING") === "ACTIVE")

export const base = group(Api, "baseFees", (handlers) =>
  Effect.zipWith(Feed, ApiBaseUrl, (feed, baseUrl) =>
    handlers.handle("baseFees", () =>
      Effect.succeed(
        HttpApiSchema.withHeaders({
          body: { $schema: schemaUri(baseUrl, "BaseFeesResponseBody"), fees: baseFeesOf(active(feed)) },
          headers: caching
        })
      )
    )
  )
)

export const layer = group(
  Api,
  "fees",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const desks = yield* DeskClient
    const feed = yield* Feed
    const refusals = yield* apiProblems
    return handlers.handle(
      "fees",
      Effect.fnUntraced(
        function* () {
          const { accountId, userId } = yield* Caller
          const tier = yield* desks.feeTier({ userId, accountId, cost: noCost })
          return { $schema: schemaUri(baseUrl, "FeesResponseBody"), fees: feesOf(active(feed), tier) }
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)
