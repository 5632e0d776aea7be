/** Inputs for prices derived from futures: settlement prices, the calendar of futures, and the exchange's holidays. */
import type { ActiveFuture, CalendarFlaw, DatedFuture } from "@venue/domain/Futures"
import { decimalOfUnits } from "@venue/domain/Decimal"
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Day, Moment, NumberOrText, RowCount, SchemaLink, SymbolName } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Moment as Instant } from "../Parameter.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

const Price = (description: string) =>
  NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(10_000_000))).annotate({
    description,
    examples: [71.05]
  })

/** Name of a future at its exchange, such as `CLK6`. */
const FutureSymbol = Schema.String.check(
  Text.matches("^[A-Z0-9][A-Z0-9._-]{0,31}$", "the name of a future, such as CLK6")
)

/** Returns a request member with a time in a four-digit year. */
const Time = (what: string) =>
  Instant.check(
    Schema.isBetween({ minimum: 0, maximum: Date.UTC(10_000, 0) - 1 }, { expected: "a time from 1970 to 9999" })
  ).pipe(
    Schema.annotateEncoded({
      description: `${what}, in ISO 8601: a time from 1970 to 9999.`,
      examples: ["2026-11-20T19:30:00Z"]
    })
  )

/**
 * Records the underlier's close and its future's settlement for one day, in USD; replaces an earlier record for that
 * day. If the request contains no future, the calendar's active future at the end of the UTC day applies.
 */
export const RecordSettlement = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  day: Day.annotate({ description: "Day of the settlement, in UTC.", examples: ["2026-11-26"] }),
  official_close: Price("Official closing price of the underlier, in USD; above 0, at most 10,000,000."),
  settlement: Price("Settlement price of the underlier's future, in USD; above 0, at most 10,000,000."),
  future_symbol: Schema.optionalKey(
    FutureSymbol.annotate({
      description: "Exchange symbol of the future. Default: the calendar's active future at the end of the UTC day.",
      examples: ["CLK6"]
    })
  ),
  reason: Reason
}).annotate({ identifier: "RecordSettlement" })

/** Settlement prices of one day. */
export const SettlementPrices = Schema.Struct({
  symbol: SymbolName,
  day: Schema.String.annotate({ description: "Day of the settlement, in UTC." }),
  official_close: Schema.Finite.annotate({ description: "Official closing price of the underlier, in USD." }),
  settlement: Schema.Finite.annotate({ description: "Settlement price of the underlier's future, in USD." }),
  future_symbol: Schema.NullOr(Schema.String).annotate({
    description:
      "Exchange symbol of the future; null if neither the request nor the calendar identifies a future. A " +
      "settlement without a future is not published."
  }),
  recorded_at: Moment.annotate({ description: "Time at which the settlement was recorded, ISO 8601 in UTC." })
}).annotate({ identifier: "SettlementPrices", description: "Settlement prices of one day." })

/** Newest settlement of each market, which its prices use. */
export const SettlementPricesList = Schema.Struct({
  data: Schema.Array(SettlementPrices).annotate({ description: "Newest settlement prices of each market." }),
  count: RowCount
}).annotate({ identifier: "SettlementPricesList" })

/** Replaces the calendar from `active_from` on. The future that is active at that time ends then. */
export const SetSettlementCalendar = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  active_from: Time("Time from which the new futures replace the calendar"),
  futures: Schema.Array(
    Schema.Struct({
      future_symbol: FutureSymbol.annotate({ description: "Exchange symbol of the future.", examples: ["CLK6"] }),
      active_until: Time("Last instant at which the oracle uses the future"),
      expiration: Time("Expiration of the future")
    }).annotate({ identifier: "DatedFuture" })
  )
    .check(Schema.isMaxLength(100))
    .annotate({ description: "Futures in the order in which the oracle uses them, at most 100." }),
  reason: Reason
}).annotate({ identifier: "SetSettlementCalendar" })

/** Future of a calendar. */
export const SettlementCalendarFuture = Schema.Struct({
  future_symbol: Schema.String.annotate({ description: "Exchange symbol of the future." }),
  active_from: Moment.annotate({ description: "Time from which the oracle uses the future, ISO 8601 in UTC." }),
  active_until: Moment.annotate({ description: "Last instant at which the oracle uses the future, ISO 8601 in UTC." }),
  expiration: Moment.annotate({ description: "Expiration of the future, ISO 8601 in UTC." }),
  recorded_at: Moment.annotate({ description: "Time at which the future was recorded, ISO 8601 in UTC." })
}).annotate({ identifier: "SettlementCalendarFuture", description: "Future in a settlement calendar." })

/** Futures of a market, latest first; at most 100. */
export const SettlementCalendar = Schema.Struct({
  symbol: SymbolName,
  data: Schema.Array(SettlementCalendarFuture).annotate({
    description: "Futures in the calendar, latest first; at most 100."
  }),
  count: RowCount
}).annotate({ identifier: "SettlementCalendar" })

/** Replaces all holidays of a year. */
export const SetHolidays = Schema.Struct({
  $schema: SchemaLink,
  year: Schema.String.check(Text.matches("^[0-9]{4}$", "a year of four digits")).annotate({
    description: "Year of the holidays, four digits.",
    examples: ["2026"]
  }),
  days: Schema.Array(Day)
    .check(Schema.isMaxLength(100))
    .annotate({
      description: "All exchange holidays of the year, at most 100. They replace the recorded holidays of the year.",
      examples: [["2026-12-25"]]
    }),
  reason: Reason
}).annotate({ identifier: "SetHolidays" })

/** Response body of `GET /holidays`. */
export const HolidayList = Schema.Struct({
  data: Schema.Array(Schema.String).annotate({ description: "Exchange holidays of all years." }),
  count: RowCount
}).annotate({
  identifier: "HolidayList"
})

export const FuturesGroup = HttpApiGroup.make("futures")
  .add(
    HttpApiEndpoint.get("settlements", "/settlement-prices", {
      success: SettlementPricesList,
      error: ServiceUnavailable
    }).annotateMerge(operation("List settlement prices", "Returns the newest settlement prices of each market.")),
    HttpApiEndpoint.post("record", "/settlement-prices", {
      payload: RecordSettlement,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Record a settlement price",
        "Records the underlier's official closing price and its future's settlement price for one day. A second " +
          "record for the same day replaces the first. Refused with 404 for an unknown symbol."
      )
    ),
    HttpApiEndpoint.get("calendar", "/settlement-calendar", {
      query: { symbol: SymbolName.check(Schema.isNonEmpty()) },
      success: SettlementCalendar,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Get a settlement calendar",
        "Returns the futures in a market's settlement calendar, latest first. Refused with 404 for an unknown symbol."
      )
    ),
    HttpApiEndpoint.post("setCalendar", "/settlement-calendar", {
      payload: SetSettlementCalendar,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Set a settlement calendar",
        "Replaces the futures in a market's calendar from the time `active_from`. Refused with 404 for an unknown " +
          "symbol, and with 422 if the futures are out of order."
      )
    ),
    HttpApiEndpoint.get("holidays", "/holidays", { success: HolidayList, error: ServiceUnavailable }).annotateMerge(
      operation("List exchange holidays", "Returns the exchange holidays of all years.")
    ),
    HttpApiEndpoint.post("setHolidays", "/holidays", {
      payload: SetHolidays,
      success: HttpApiSchema.NoContent,
      error: ServiceUnavailable
    }).annotateMerge(operation("Set exchange holidays", "Replaces all exchange holidays of one year."))
  )
  .middleware(OperatorOnly)

/** Converts the settlement of one day to its wire format. */
export const settlementPrices = (settlement: {
  readonly symbol: string
  readonly day: string
  readonly officialCloseE8: number
  readonly settlementE8: number
  readonly futureSymbol: string | null
  readonly recordedAtMillis: number
}): typeof SettlementPrices.Type => ({
  symbol: settlement.symbol,
  day: settlement.day,
  official_close: decimalOfUnits(settlement.officialCloseE8),
  settlement: decimalOfUnits(settlement.settlementE8),
  future_symbol: settlement.futureSymbol,
  recorded_at: instant(settlement.recordedAtMillis)
})

/** Returns the futures of a request. */
export const datedFutures = (futures: (typeof SetSettlementCalendar.Type)["futures"]): ReadonlyArray<DatedFuture> =>
  futures.map(({ active_until, expiration, future_symbol }) => ({
    futureSymbol: future_symbol,
    activeUntilMillis: active_until,
    expirationMillis: expiration
  }))

/** Returns the location of a flaw in the body, such as `body.futures.0.expiration`. */
export const locationOf = ({ index, term }: CalendarFlaw): string => `body.futures.${index}.${fields[term]}`

/** Converts the futures of a market to its wire format. */
export const settlementCalendar = (
  symbol: string,
  entries: ReadonlyArray<ActiveFuture & { readonly recordedAtMillis: number }>
): typeof SettlementCalendar.Type => ({
  symbol,
  data: entries.map((entry) => ({
    future_symbol: entry.futureSymbol,
    active_from: instant(entry.activeFromMillis),
    active_until: instant(entry.activeUntilMillis),
    expiration: instant(entry.expirationMillis),
    recorded_at: instant(entry.recordedAtMillis)
  })),
  count: entries.length
})

const fields = {
  futureSymbol: "future_symbol",
  activeUntilMillis: "active_until",
  expirationMillis: "expiration"
} as const
