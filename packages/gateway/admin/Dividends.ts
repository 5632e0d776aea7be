/** Answers an operator who has a dividend paid. */
import { AdminApi } from "@venue/api/admin/Api"
import { dateOf, dayAt, dayOf } from "@venue/api/admin/Dividends"
import { Operator } from "@venue/api/admin/Operator"
import { problems } from "@venue/api/Problem"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { unitsOf } from "@venue/domain/Decimal"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Audit } from "@venue/storage/access/Audit"
import { Clock, Effect } from "effect"
import { group } from "../http/Endpoints.ts"

export const layer = (baseUrl: string) =>
  group(
    AdminApi,
    "dividends",
    Effect.fnUntraced(function* (handlers) {
      const audit = yield* Audit
      const feed = yield* Feed
      const markets = yield* MarketClient
      const { instruments } = yield* VenueSettings
      const refusals = problems(baseUrl)
      const unfit = (location: string, message: string) => Effect.fail(refusals.invalidRequest([{ location, message }]))

      return handlers.handle(
        "pay",
        Effect.fnUntraced(
          function* ({ payload: { amount, ex_date, reason, symbol: given } }) {
            const symbol = MarketSymbol.make(given.toUpperCase())
            const instrument = instruments.get(symbol)
            if (instrument === undefined) return yield* refusals.unknownSymbol(symbol)
            if (instrument.category !== "EQUITY") return yield* unfit("body.symbol", "Expected a stock")
            const perUnitE8 = unitsOf(amount)
            if (Number.isNaN(perUnitE8)) return yield* unfit("body.amount", "Expected at most eight decimals")
            const prices = feed.prices.get(symbol)
            if (prices === undefined || perUnitE8 >= prices.oracleE8)
              return yield* unfit("body.amount", "Expected less than the symbol's price")
            const exDay = dayOf(ex_date)
            if (exDay > dayAt(yield* Clock.currentTimeMillis))
              return yield* unfit("body.ex_date", "Expected today or an earlier day: it is paid at once")
            const { lastDividendDay } = yield* markets.depth(symbol)
            if (exDay <= lastDividendDay)
              return yield* refusals.dividendPaid(
                `The last dividend of ${symbol} was for ${dateOf(lastDividendDay)}; nothing was paid now.`
              )
            const { name } = yield* Operator
            const facts = { amount, exDate: ex_date, reason }
            yield* audit.record({ action: "dividend_asked", actor: name, subject: symbol, facts })
            // The same day again changes nothing, so what is unknown is asked again.
            yield* Effect.retry(markets.payDividend(symbol, exDay, perUnitE8), { times: 2 })
            return { symbol, amount, ex_date }
          },
          Effect.catchTags({
            DatabaseUnavailable: () => Effect.fail(refusals.draining()),
            Unavailable: () => Effect.fail(refusals.deadlinePassed())
          })
        )
      )
    })
  )
