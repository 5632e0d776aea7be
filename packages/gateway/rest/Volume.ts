/** Handles `GET /user/volume`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { daysOf, defaultDuration } from "@venue/api/rest/Duration"
import { volumesOf } from "@venue/api/rest/Volume"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Users } from "@venue/storage/access/Users"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import { Clock, Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { History } from "../History.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"
import { filtered, sinceOf } from "./HistoryQuery.ts"

export const layer = group(
  Api,
  "volume",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const history = yield* History
    const users = yield* Users
    const { instruments } = yield* VenueSettings
    const refusals = yield* apiProblems
    return handlers.handle(
      "volume",
      Effect.fnUntraced(
        function* ({ query: { range = defaultDuration, symbol } }) {
          const { accountId, userId } = yield* Caller
          const filter = yield* filtered(refusals, instruments, symbol)
          const days = daysOf(range, yield* Clock.currentTimeMillis, yield* sinceOf(users, userId, range))
          const symbols = filter.instruments.map((instrument) => instrument.symbol)
          const traded = yield* history.read(
            { userId, accountId, cost: noCost },
            { projection: DailyVolumes.projection, symbols: filter.symbols },
            DailyVolumes.ofAccount({ userId, accountId, symbols, ...days })
          )
          return {
            $schema: schemaUri(baseUrl, "UserVolumeResponseBody"),
            range,
            ...(filter.symbols === undefined ? {} : { symbols: filter.symbols }),
            ...volumesOf(days, new Map(traded.map((volume) => [volume.day, volume])))
          }
        },
        Effect.catchTags({
          ...unanswered(refusals),
          DatabaseUnavailable: () => Effect.fail(refusals.draining())
        })
      )
    )
  })
)
