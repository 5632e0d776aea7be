/** Handles the operator endpoints for settlement prices, futures calendars and holidays (rule 3.8 to rule 3.10). */
import { AdminApi } from "@venue/api/admin/Api"
import { datedFutures, locationOf, settlementCalendar, settlementPrices } from "@venue/api/admin/Futures"
import { instant } from "@venue/api/Digits"
import { nearestMultiple, unitsOf } from "@venue/domain/Decimal"
import { millisOfDay } from "@venue/domain/Rfc3339"
import { calendarFlaw, type DatedFuture, isFuturesBased } from "@venue/domain/Futures"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { Clock, Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindListed } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "futures",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const reference = yield* FuturesReference
    const findListed = yield* makeFindListed
    const refusals = yield* apiProblems
    const unanswered = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
    /** Returns the symbol's instrument if it is priced from futures; otherwise refuses the request. */
    const futuresBased = Effect.fnUntraced(function* (given: string, location: string) {
      const instrument = yield* findListed(given)
      return isFuturesBased(instrument) ? instrument : yield* refusals.unfit(location, basedOnFutures)
    })

    return handlers
      .handle("settlements", () =>
        reference.latest.pipe(
          Effect.map((latest) => ({ data: latest.map(settlementPrices), count: latest.length })),
          Effect.catchTags(unanswered)
        )
      )
      .handle(
        "record",
        Effect.fnUntraced(function* ({ payload }) {
          const { day, future_symbol: futureSymbol = null, official_close, reason, settlement } = payload
          const { symbol } = yield* futuresBased(payload.symbol, "body.symbol")
          if (millisOfDay(day)! > (yield* Clock.currentTimeMillis))
            return yield* refusals.unfit(
              "body.day",
              "Expected a date no later than today, because the newest settlement takes effect at once"
            )
          const [officialCloseE8, settlementE8] = [official_close, settlement].map((price) =>
            unitsOf(nearestMultiple(price, 1))
          ) as [number, number]
          if (Number.isNaN(officialCloseE8)) return yield* refusals.unfit("body.official_close", tooFine)
          if (Number.isNaN(settlementE8)) return yield* refusals.unfit("body.settlement", tooFine)
          const facts = { day, officialClose: official_close, settlement, futureSymbol, reason }
          yield* recordRequest("settlement_recorded", symbol, facts)
          yield* reference.record({ symbol, day, officialCloseE8, settlementE8, futureSymbol })
        }, Effect.catchTags(unanswered))
      )
      .handle(
        "calendar",
        Effect.fnUntraced(function* ({ query }) {
          const { symbol } = yield* futuresBased(query.symbol, "query.symbol")
          return settlementCalendar(symbol, yield* reference.calendar(symbol))
        }, Effect.catchTags(unanswered))
      )
      .handle(
        "setCalendar",
        Effect.fnUntraced(function* ({ payload: { active_from: fromMillis, reason, ...payload } }) {
          const { symbol } = yield* futuresBased(payload.symbol, "body.symbol")
          const futures = datedFutures(payload.futures)
          const flaw = calendarFlaw(fromMillis, futures)
          if (flaw !== undefined) return yield* refusals.unfit(locationOf(flaw), `Expected ${flaw.expected}`)
          const facts = { activeFrom: instant(fromMillis), futures: futures.map(lineOf).join(", "), reason }
          yield* recordRequest("settlement_calendar_set", symbol, facts)
          yield* reference.setCalendar(symbol, fromMillis, futures)
        }, Effect.catchTags(unanswered))
      )
      .handle("holidays", () =>
        reference.holidays.pipe(
          Effect.map((data) => ({ data, count: data.length })),
          Effect.catchTags(unanswered)
        )
      )
      .handle(
        "setHolidays",
        Effect.fnUntraced(function* ({ payload: { days, reason, year } }) {
          if (!days.every((day) => day.startsWith(`${year}-`)))
            return yield* refusals.unfit("body.days", `Expected only days in ${year}`)
          yield* recordRequest("holidays_set", year, { days: days.join(" "), reason })
          yield* reference.setHolidays(year, days)
        }, Effect.catchTags(unanswered))
      )
  })
)

const basedOnFutures = "Expected an index, or a commodity with rolling futures: CL-USD, COPPER-USD or NATGAS-USD"

const tooFine = "Expected at most eight decimal places"

const lineOf = ({ activeUntilMillis, expirationMillis, futureSymbol }: DatedFuture): string =>
  `${futureSymbol} until ${instant(activeUntilMillis)}, expires ${instant(expirationMillis)}`
