/** Handles `GET /pnl`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { defaultLimitHours, pnlHour } from "@venue/api/rest/PnlHours"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { hourMillis } from "@venue/domain/Funding"
import { minuteMillis } from "@venue/domain/Minute"
import { quarterHourMillis } from "@venue/domain/QuarterHour"
import * as Holdings from "@venue/storage/history/Holdings"
import type { Moments } from "@venue/storage/history/Moments"
import * as Profits from "@venue/storage/history/Profits"
import { Clock, Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { History } from "../History.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"
import { filtered } from "./HistoryQuery.ts"

export const layer = group(
  Api,
  "pnlHours",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const history = yield* History
    const { instruments } = yield* VenueSettings
    const refusals = yield* apiProblems
    return handlers.handle(
      "pnlHours",
      Effect.fnUntraced(
        function* ({ query: { end = Infinity, limit_hours = defaultLimitHours, start = -Infinity, symbol } }) {
          const { accountId, userId } = yield* Caller
          const filter = yield* filtered(refusals, instruments, symbol)
          if (start > end) return yield* refusals.rangeNotAllowed(start, end)
          const moments = hoursOf(start, Math.min(end, (yield* Clock.currentTimeMillis) + 1), limit_hours)
          const states = yield* history.read(
            { userId, accountId, cost: noCost },
            { projection: Holdings.group, symbols: filter.symbols },
            Profits.at({ accountId, instruments: filter.instruments, moments }, maxRows)
          )
          const data = states.map((state) => {
            const instrument = instruments.get(state.symbol)!
            const startMinute = (state.moment * quarterHourMillis) / minuteMillis
            return pnlHour(instrument, { ...state, startMinute, value: Profits.valueOf(instrument, state) })
          })
          return { $schema: schemaUri(baseUrl, "HourlyPnlResponseBody"), data, count: data.length }
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)

/** Maximum number of rows in a response. With 14 contracts, this is 714 hours. */
const maxRows = 10_000

/** Returns the last `limit` hours that begin in a range. */
const hoursOf = (startMillis: number, endMillis: number, limit: number): Moments => {
  const before = Math.ceil(endMillis / hourMillis)
  const from = Math.max(Math.ceil(startMillis / hourMillis), before - limit)
  const step = hourMillis / quarterHourMillis
  return { first: from * step, step, count: Math.max(0, before - from) }
}
