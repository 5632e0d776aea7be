/** What prices made of futures need: settlement prices of indices, and the exchange's holidays. */
import { decimalOfUnits } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Day, Moment, NumberOrText, SchemaLink } from "../Body.ts"
import { instant } from "../Digits.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

const Price = NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(10_000_000)))

/** Of one day the close of an index and the settlement of its future, in USD; a second one of a day replaces the first. */
export const RecordSettlement = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  day: Day,
  official_close: Price,
  settlement: Price,
  reason: Reason
}).annotate({ identifier: "RecordSettlement" })

export const SettlementPrices = Schema.Struct({
  symbol: Schema.String,
  day: Schema.String,
  official_close: Schema.Finite,
  settlement: Schema.Finite,
  recorded_at: Moment
}).annotate({ identifier: "SettlementPrices" })

/** The newest of each symbol, which is the one that counts. */
export const SettlementPricesList = Schema.Struct({
  data: Schema.Array(SettlementPrices),
  count: Schema.Int
}).annotate({ identifier: "SettlementPricesList" })

/** All holidays of a year, in place of those that were known of it. */
export const SetHolidays = Schema.Struct({
  $schema: SchemaLink,
  year: Schema.String.check(Schema.isPattern(/^\d{4}$/)),
  days: Schema.Array(Day).check(Schema.isMaxLength(100)),
  reason: Reason
}).annotate({ identifier: "SetHolidays" })

export const HolidayList = Schema.Struct({ data: Schema.Array(Schema.String), count: Schema.Int }).annotate({
  identifier: "HolidayList"
})

export const FuturesGroup = HttpApiGroup.make("futures")
  .add(
    HttpApiEndpoint.get("settlements", "/settlement-prices", {
      success: SettlementPricesList,
      error: ServiceUnavailable
    }),
    HttpApiEndpoint.post("record", "/settlement-prices", {
      payload: RecordSettlement,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }),
    HttpApiEndpoint.get("holidays", "/holidays", { success: HolidayList, error: ServiceUnavailable }),
    HttpApiEndpoint.post("setHolidays", "/holidays", {
      payload: SetHolidays,
      success: HttpApiSchema.NoContent,
      error: ServiceUnavailable
    })
  )
  .middleware(OperatorOnly)

export const settlementPrices = (settlement: {
  readonly symbol: string
  readonly day: string
  readonly officialCloseE8: number
  readonly settlementE8: number
  readonly recordedAtMillis: number
}): typeof SettlementPrices.Type => ({
  symbol: settlement.symbol,
  day: settlement.day,
  official_close: decimalOfUnits(settlement.officialCloseE8),
  settlement: decimalOfUnits(settlement.settlementE8),
  recorded_at: instant(settlement.recordedAtMillis)
})
