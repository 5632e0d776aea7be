/** Handles `GET /user/historic-pnl`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { defaultDuration, type Span, spanOf } from "@venue/api/rest/Duration"
import { defaultUnit, inUnit } from "@venue/api/rest/Pnl"
import { boundsOf, seriesOf } from "@venue/api/rest/Series"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Users } from "@venue/storage/access/Users"
import * as Holdings from "@venue/storage/history/Holdings"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import type { Moments } from "@venue/storage/history/Moments"
import * as Profits from "@venue/storage/history/Profits"
import * as ReadTable from "@venue/storage/history/ReadTable"
import { Clock, Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { History, type Reader } from "../History.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"
import { type Filtered, filtered, sinceOf, startsOf } from "./HistoryQuery.ts"

export const layer = group(
  Api,
  "pnl",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const history = yield* History
    const users = yield* Users
    const { instruments } = yield* VenueSettings
    const refusals = yield* apiProblems

    /** Returns the profit at the start of a span and at the end of each of its windows. */
    const profitsOf = (reader: Reader, span: Span, filter: Filtered) =>
      history.read(
        reader,
        { projection: Holdings.group, symbols: filter.symbols },
        Profits.summed({
          accountId: reader.accountId,
          instruments: filter.instruments,
          moments: boundariesOf(span)
        })
      )
    /** Returns the percentage base at each boundary: equity at the span's start plus the deposits since then. */
    const basesOf = Effect.fnUntraced(function* (reader: Reader, span: Span) {
      const { accountId } = reader
      const moments = boundariesOf(span)
      const start = { accountId, instruments: [...instruments.values()], moments: { ...moments, count: 1 } }
      const [[begun], cash] = yield* history.read(
        reader,
        { projection: Holdings.group, ofTrader: LedgerEntries.projection },
        ReadTable.both(Profits.summed(start), LedgerEntries.cashAt(accountId, moments))
      )
      const { amount, deposited: before } = cash[0]!
      const equity = begun!.profit + begun!.rewards + amount
      return cash.map(({ deposited }) => equity + deposited - before)
    })

    return handlers.handle(
      "historicPnl",
      Effect.fnUntraced(
        function* ({ query: { duration = defaultDuration, symbol, unit = defaultUnit } }) {
          const { accountId, userId } = yield* Caller
          const reader = { userId, accountId, cost: noCost }
          const filter = yield* filtered(refusals, instruments, symbol)
          const since = yield* sinceOf(users, userId, duration)
          const span = spanOf(duration, yield* Clock.currentTimeMillis, since)
          const profits = yield* profitsOf(reader, span, filter)
          const bases = unit === "percent" ? yield* basesOf(reader, span) : []
          const data = seriesOf(span, (window) =>
            inUnit(profits[window + 1]!.profit - profits[0]!.profit, bases[window + 1])
          )
          return {
            $schema: schemaUri(baseUrl, "HistoricUserPnlResponseBody"),
            duration,
            unit,
            interval_minutes: span.intervalMinutes,
            ...boundsOf(span),
            ...(filter.symbols === undefined ? {} : { symbols: filter.symbols }),
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

/** Returns the start of a span and the end of each of its windows. */
const boundariesOf = (span: Span): Moments => {
  const starts = startsOf(span)
  return { ...starts, count: starts.count + 1 }
}
