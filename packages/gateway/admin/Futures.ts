/** Answers what an operator records for prices made of futures (rule 3.8, rule 3.9). */
import { AdminApi } from "@venue/api/admin/Api"
import { settlementPrices } from "@venue/api/admin/Futures"
import { Operator } from "@venue/api/admin/Operator"
import { problems } from "@venue/api/Problem"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { unitsOf } from "@venue/domain/Decimal"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Audit, type Deed } from "@venue/storage/access/Audit"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { Clock, Effect } from "effect"
import { group } from "../http/Endpoints.ts"

export const layer = (baseUrl: string) =>
  group(
    AdminApi,
    "futures",
    Effect.fnUntraced(function* (handlers) {
      const audit = yield* Audit
      const reference = yield* FuturesReference
      const { instruments } = yield* VenueSettings
      const refusals = problems(baseUrl)
      const unfit = (location: string, message: string) => Effect.fail(refusals.invalidRequest([{ location, message }]))
      /** Told before it is done, so that nothing is done that no row tells of. */
      const asked = (action: string, subject: string, facts: Deed["facts"]) =>
        Effect.flatMap(Operator, ({ name }) => audit.record({ action, actor: name, subject, facts }))
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
            const symbol = MarketSymbol.make(given.toUpperCase())
            const instrument = instruments.get(symbol)
            if (instrument === undefined) return yield* refusals.unknownSymbol(symbol)
            if (instrument.category !== "INDEX") return yield* unfit("body.symbol", "Expected an index")
            if (Date.parse(day) > (yield* Clock.currentTimeMillis))
              return yield* unfit("body.day", "Expected today or an earlier day: the newest one counts")
            const [officialCloseE8, settlementE8] = [unitsOf(official_close), unitsOf(settlement)]
            if (Number.isNaN(officialCloseE8)) return yield* unfit("body.official_close", tooFine)
            if (Number.isNaN(settlementE8)) return yield* unfit("body.settlement", tooFine)
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
              return yield* unfit("body.days", "Expected days of that year")
            yield* asked("holidays_set", year, { days: days.join(" "), reason })
            yield* reference.setHolidays(year, days)
          }, Effect.catchTags(unanswered))
        )
    })
  )

const tooFine = "Expected at most eight decimals"
