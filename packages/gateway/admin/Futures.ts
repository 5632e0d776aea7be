/** Answers what an operator records for prices made of futures (rule 3.8, rule 3.9). */
import { AdminApi } from "@venue/api/admin/Api"
import { settlementPrices } from "@venue/api/admin/Futures"
import { problems } from "@venue/api/Problem"
import { unitsOf } from "@venue/domain/Decimal"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { Clock, Effect } from "effect"
import { group } from "../http/Endpoints.ts"
import { makeAsked, makeListed } from "./Operators.ts"

export const layer = (baseUrl: string) =>
  group(
    AdminApi,
    "futures",
    Effect.fnUntraced(function* (handlers) {
      const asked = yield* makeAsked
      const reference = yield* FuturesReference
      const listed = yield* makeListed(baseUrl)
      const refusals = problems(baseUrl)
      const unanswered = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }

      return handlers
        .handle("settlements", () =>
          reference.latest.pipe(
            Effect.map((latest) => ({ data: latest.map(settlementPrices), count: latest.length })),
            Effect.catchTags(unanswered)
          )
        )
        .handle(
          "record",
          Effect.fnUntraced(function* ({ payload: { day, official_close, reason, settlement, symbol: given } }) {
            const { category, symbol } = yield* listed(given)
            if (category !== "INDEX") return yield* refusals.unfit("body.symbol", "Expected an index")
            if (Date.parse(day) > (yield* Clock.currentTimeMillis))
              return yield* refusals.unfit("body.day", "Expected today or an earlier day: the newest one counts")
            const [officialCloseE8, settlementE8] = [unitsOf(official_close), unitsOf(settlement)]
            if (Number.isNaN(officialCloseE8)) return yield* refusals.unfit("body.official_close", tooFine)
            if (Number.isNaN(settlementE8)) return yield* refusals.unfit("body.settlement", tooFine)
            yield* asked("settlement_recorded", symbol, { day, officialClose: official_close, settlement, reason })
            yield* reference.record({ symbol, day, officialCloseE8, settlementE8 })
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
              return yield* refusals.unfit("body.days", "Expected days of that year")
            yield* asked("holidays_set", year, { days: days.join(" "), reason })
            yield* reference.setHolidays(year, days)
          }, Effect.catchTags(unanswered))
        )
    })
  )

const tooFine = "Expected at most eight decimals"
