/** Handles `GET /user/account-equity`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { defaultDuration, spanOf } from "@venue/api/rest/Duration"
import { boundsOf, seriesOf } from "@venue/api/rest/Series"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Users } from "@venue/storage/access/Users"
import * as Holdings from "@venue/storage/history/Holdings"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import * as Profits from "@venue/storage/history/Profits"
import * as ReadTable from "@venue/storage/history/ReadTable"
import { Clock, Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { History } from "../History.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"
import { sinceOf, startsOf } from "./HistoryQuery.ts"

export const layer = group(
  Api,
  "accountEquity",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const history = yield* History
    const users = yield* Users
    const { instruments } = yield* VenueSettings
    const refusals = yield* apiProblems
    const source = { projection: Holdings.group, ofTrader: LedgerEntries.projection }
    return handlers.handle(
      "accountEquity",
      Effect.fnUntraced(
        function* ({ query: { duration = defaultDuration } }) {
          const { accountId, userId } = yield* Caller
          const since = yield* sinceOf(users, userId, duration)
          const span = spanOf(duration, yield* Clock.currentTimeMillis, since)
          const moments = startsOf(span)
          const query = ReadTable.both(
            Profits.summed({ accountId, instruments: [...instruments.values()], moments }),
            LedgerEntries.cashAt(accountId, moments)
          )
          const [profits, cash] = yield* history.read({ userId, accountId, cost: noCost }, source, query)
          const data = seriesOf(span, (window) => {
            const { profit, rewards } = profits[window]!
            return decimalOfMoney(cash[window]!.amount + profit + rewards)
          })
          return {
            $schema: schemaUri(baseUrl, "AccountEquityResponseBody"),
            duration,
            interval_minutes: span.intervalMinutes,
            ...boundsOf(span),
            data,
            count: data.length
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
