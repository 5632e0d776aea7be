/** `GET /user/volume`: notional that an account traded on each day, as maker and taker. */
import { dayMillis } from "@venue/domain/Day"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, RowCount, Rows, SchemaLink } from "../Body.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { symbolsParameter } from "./SymbolFilter.ts"
import { startOf } from "./ChartRange.ts"
import { type Days, defaultDuration, Range } from "./Duration.ts"
import { operation } from "../Operation.ts"

/** Volume of one day. */
export const UserVolumePoint = Schema.Struct({
  $schema: SchemaLink,
  date: Moment.annotate({ description: "First instant of the day, ISO 8601 in UTC." }),
  maker_volume: Schema.Finite.annotate({ description: "Notional traded as maker, in USD." }),
  taker_volume: Schema.Finite.annotate({ description: "Notional traded as taker, in USD." }),
  volume: Schema.Finite.annotate({ description: "Notional traded, in USD." })
}).annotate({ identifier: "UserVolumePoint", description: "Volume of one day." })

/** Response body of `GET /user/volume`. */
export const UserVolumeResponseBody = Schema.Struct({
  $schema: SchemaLink,
  range: Schema.String.annotate({ description: "Requested span of days: `1w`, `1m`, `ytd` or `all`." }),
  interval: Schema.String.annotate({ description: "Length of the period in each row, always one day." }),
  start: Schema.optionalKey(
    Moment.annotate({ description: "First instant of the first day of the span, ISO 8601 in UTC." })
  ),
  end: Moment.annotate({
    description: "First instant of the current day, the last day of the span, ISO 8601 in UTC."
  }),
  symbols: Schema.optionalKey(
    Rows(Schema.String).annotate({
      description: "Symbols in the filter of the request; omitted if the request has no filter."
    })
  ),
  data: Rows(UserVolumePoint).annotate({ description: "Volume of each day, oldest first." }),
  count: RowCount,
  total_maker_volume: Schema.Finite.annotate({ description: "Notional traded as maker in the span, in USD." }),
  total_taker_volume: Schema.Finite.annotate({ description: "Notional traded as taker in the span, in USD." }),
  total_volume: Schema.Finite.annotate({ description: "Notional traded in the span, in USD." })
}).annotate({ identifier: "UserVolumeResponseBody" })

export const VolumeGroup = HttpApiGroup.make("volume")
  .add(
    HttpApiEndpoint.get("volume", "/user/volume", {
      query: { range: Optional(Range), symbol: Optional(Schema.String) },
      success: UserVolumeResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Get traded volume by day",
          "Returns the notional that an account traded as maker and as taker on each day of a span. Refused " +
            "with 400 for an unknown symbol, and with 422 for an unsupported range."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          range: {
            type: "string",
            enum: Range.literals,
            default: defaultDuration,
            description: "Span of whole UTC days that ends with the current day."
          },
          symbol: symbolsParameter
        })
      )
  )
  .middleware(Authenticated)

interface Traded {
  readonly maker: bigint
  readonly taker: bigint
}

/** Returns each day's volume, earliest first, and the totals; amounts in `traded` are in 1e-6 USD. */
export const volumesOf = ({ beforeDay, fromDay }: Days, traded: ReadonlyMap<number, Traded>) => {
  const total = { maker: 0n, taker: 0n }
  const data = Array.from({ length: beforeDay - fromDay }, (_, at) => {
    const { maker, taker } = traded.get(fromDay + at) ?? { maker: 0n, taker: 0n }
    total.maker += maker
    total.taker += taker
    return {
      date: dateOf(fromDay + at),
      maker_volume: decimalOfMoney(maker),
      taker_volume: decimalOfMoney(taker),
      volume: decimalOfMoney(maker + taker)
    }
  })
  return {
    interval: "1d",
    start: dateOf(fromDay),
    end: dateOf(beforeDay - 1),
    data,
    count: data.length,
    total_maker_volume: decimalOfMoney(total.maker),
    total_taker_volume: decimalOfMoney(total.taker),
    total_volume: decimalOfMoney(total.maker + total.taker)
  }
}

const dateOf = (day: number): string => startOf((day * dayMillis) / minuteMillis)
