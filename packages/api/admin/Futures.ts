/** What prices made of futures need: settlement prices, which future is in use when, and the exchange's holidays. */
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

/** As its exchange names it, such as `CLK6`. */
const FutureSymbol = Schema.String.check(
  Text.matches("^[A-Z0-9][A-Z0-9._-]{0,31}$", "the name of a future, such as CLK6")
)

/** A member of a request with a time of a year with four digits. */
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
 * Of one day the close of the underlier and the settlement of its future, in USD; a second one of a day replaces the
 * first. Where the future is left out, it is the one that the calendar has when the day has ended, UTC.
 */
export const RecordSettlement = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  day: Day.annotate({ description: "Day of the settlement, UTC.", examples: ["2026-11-26"] }),
  official_close: Price("Official close of the underlier, in USD; above 0, at most 10,000,000."),
  settlement: Price("Settlement price of its future, in USD; above 0, at most 10,000,000."),
  future_symbol: Schema.optionalKey(
    FutureSymbol.annotate({
      description:
        "Name of the future at its exchange. Default: the future of the calendar at the end of the day, UTC.",
      examples: ["CLK6"]
    })
  ),
  reason: Reason
}).annotate({ identifier: "RecordSettlement" })

export const SettlementPrices = Schema.Struct({
  symbol: SymbolName,
  day: Schema.String.annotate({ description: "Day of the settlement, UTC." }),
  official_close: Schema.Finite.annotate({ description: "Official close of the underlier, in USD." }),
  settlement: Schema.Finite.annotate({ description: "Settlement price of the future, in USD." }),
  future_symbol: Schema.NullOr(Schema.String).annotate({
    description:
      "Name of the future at its exchange; null while neither the operator nor the calendar names it. It is " +
      "not published then."
  }),
  recorded_at: Moment.annotate({ description: "Time of recording, ISO 8601 in UTC." })
}).annotate({ identifier: "SettlementPrices", description: "Settlement of one day." })

/** The newest of each symbol, which is the one that counts. */
export const SettlementPricesList = Schema.Struct({
  data: Schema.Array(SettlementPrices).annotate({ description: "Newest settlement of each market." }),
  count: RowCount
}).annotate({ identifier: "SettlementPricesList" })

/**
 * From `active_from` on these futures follow each other, in place of all that were known of later; the one that is in use
 * then ends there.
 */
export const SetSettlementCalendar = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  active_from: Time("Start of the new part of the calendar; futures known for later times are replaced"),
  futures: Schema.Array(
    Schema.Struct({
      future_symbol: FutureSymbol.annotate({ description: "Name of the future at its exchange.", examples: ["CLK6"] }),
      active_until: Time("Last instant at which the oracle uses the future"),
      expiration: Time("Expiration of the future")
    }).annotate({ identifier: "DatedFuture" })
  )
    .check(Schema.isMaxLength(100))
    .annotate({ description: "Futures in their order, at most 100." }),
  reason: Reason
}).annotate({ identifier: "SetSettlementCalendar" })

export const SettlementCalendarFuture = Schema.Struct({
  future_symbol: Schema.String.annotate({ description: "Name of the future at its exchange." }),
  active_from: Moment.annotate({ description: "First instant at which the oracle uses the future, ISO 8601 in UTC." }),
  active_until: Moment.annotate({ description: "Last instant at which the oracle uses the future, ISO 8601 in UTC." }),
  expiration: Moment.annotate({ description: "Expiration of the future, ISO 8601 in UTC." }),
  recorded_at: Moment.annotate({ description: "Time of recording, ISO 8601 in UTC." })
}).annotate({ identifier: "SettlementCalendarFuture", description: "Future of a calendar." })

/** The last to come are the first; there are at most a hundred. */
export const SettlementCalendar = Schema.Struct({
  symbol: SymbolName,
  data: Schema.Array(SettlementCalendarFuture).annotate({
    description: "Futures, the last to come first; at most 100."
  }),
  count: RowCount
}).annotate({ identifier: "SettlementCalendar" })

/** All holidays of a year, in place of those that were known of it. */
export const SetHolidays = Schema.Struct({
  $schema: SchemaLink,
  year: Schema.String.check(Text.matches("^[0-9]{4}$", "a year of four digits")).annotate({
    description: "Year of the holidays, four digits.",
    examples: ["2026"]
  }),
  days: Schema.Array(Day)
    .check(Schema.isMaxLength(100))
    .annotate({
      description: "All holidays of the year, at most 100; they replace the ones known before.",
      examples: [["2026-12-25"]]
    }),
  reason: Reason
}).annotate({ identifier: "SetHolidays" })

export const HolidayList = Schema.Struct({
  data: Schema.Array(Schema.String).annotate({ description: "Holidays of all years." }),
  count: RowCount
}).annotate({
  identifier: "HolidayList"
})

export const FuturesGroup = HttpApiGroup.make("futures")
  .add(
    HttpApiEndpoint.get("settlements", "/settlement-prices", {
      success: SettlementPricesList,
      error: ServiceUnavailable
    }).annotateMerge(operation("List settlement prices", "Returns the newest settlement of each market.")),
    HttpApiEndpoint.post("record", "/settlement-prices", {
      payload: RecordSettlement,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Record a settlement price",
        "Records the official close of the underlier and the settlement price of its future for a day. A " +
          "second record of a day replaces the first. Refused with 404 for an unknown symbol."
      )
    ),
    HttpApiEndpoint.get("calendar", "/settlement-calendar", {
      query: { symbol: SymbolName.check(Schema.isNonEmpty()) },
      success: SettlementCalendar,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Get a settlement calendar",
        "Returns the futures of a market, the last to come first. Refused with 404 for an unknown symbol."
      )
    ),
    HttpApiEndpoint.post("setCalendar", "/settlement-calendar", {
      payload: SetSettlementCalendar,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Set a settlement calendar",
        "Replaces the futures of a market from a time on. Refused with 404 for an unknown symbol, and with 422 " +
          "for futures out of order."
      )
    ),
    HttpApiEndpoint.get("holidays", "/holidays", { success: HolidayList, error: ServiceUnavailable }).annotateMerge(
      operation("List exchange holidays", "Returns the holidays of the exchange.")
    ),
    HttpApiEndpoint.post("setHolidays", "/holidays", {
      payload: SetHolidays,
      success: HttpApiSchema.NoContent,
      error: ServiceUnavailable
    }).annotateMerge(operation("Set exchange holidays", "Replaces the holidays of one year."))
  )
  .middleware(OperatorOnly)

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

export const datedFutures = (futures: (typeof SetSettlementCalendar.Type)["futures"]): ReadonlyArray<DatedFuture> =>
  futures.map(({ active_until, expiration, future_symbol }) => ({
    futureSymbol: future_symbol,
    activeUntilMillis: active_until,
    expirationMillis: expiration
  }))

/** Where in the body that is. */
export const locationOf = ({ index, term }: CalendarFlaw): string => `body.futures.${index}.${fields[term]}`

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
