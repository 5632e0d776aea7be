/** Handles `GET /user/referral-rewards`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { daysOf, defaultDuration, rewardsBody } from "@venue/api/rest/ReferralRewards"
import { Users } from "@venue/storage/access/Users"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as ReferralRewards from "@venue/storage/history/ReferralRewards"
import { Clock, Effect, Option } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  Api,
  "referralRewards",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const tables = yield* ReadTables
    const users = yield* Users
    const refusals = yield* apiProblems
    return handlers.handle(
      "referralRewards",
      Effect.fnUntraced(
        function* ({ query: { duration = defaultDuration } }) {
          const { userId } = yield* Caller
          const nowMillis = yield* Clock.currentTimeMillis
          const user = yield* users.find(userId)
          const createdAtMillis = Option.match(user, {
            onNone: () => nowMillis,
            onSome: ({ createdAtMillis: at }) => at
          })
          const days = daysOf(duration, nowMillis, createdAtMillis)
          const rewards = yield* tables.read(ReferralRewards.ofUser(userId, days.fromDay, days.beforeDay))
          return {
            $schema: schemaUri(baseUrl, "ReferralRewardsResponseBody"),
            ...rewardsBody(duration, days, rewards)
          }
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)
