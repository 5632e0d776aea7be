/** `GET /user/volume`: what an account traded on each day, as maker and as taker. */
import { dayMillis } from "@venue/domain/Day"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, Rows, SchemaLink } from "../Body.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { startOf } from "./ChartRange.ts"
import { type Days, defaultDuration, Range } from "./Duration.ts"

export const UserVolumePoint = Schema.Struct({
  $schema: SchemaLink,
  date: Moment,
  maker_volume: Schema.Finite,
  taker_volume: Schema.Finite,
  volume: Schema.Finite
}).annotate({ identifier: "UserVolumePoint" })

export const UserVolumeResponseBody = Schema.Struct({
  $schema: SchemaLink,
  range: Schema.String,
  interval: Schema.String,
  start: Schema.optionalKey(Moment),
  end: Moment,
  /** Where a filter was given, what it names. */
  symbols: Schema.optionalKey(Rows(Schema.String)),
  data: Rows(UserVolumePoint),
  count: Schema.Int,
  total_maker_volume: Schema.Finite,
  total_taker_volume: Schema.Finite,
  total_volume: Schema.Finite
}).annotate({ identifier: "UserVolumeResponseBody" })

export const VolumeGroup = HttpApiGroup.make("volume")
  .add(
    HttpApiEndpoint.get("volume", "/user/volume", {
      query: { range: Optional(Range), symbol: Optional(Schema.String) },
      success: UserVolumeResponseBody,
      error: [BadRequest, ServiceUnavailable]
    }).annotate(
      OpenApi.Transform,
      described({ range: { type: "string", enum: Range.literals, default: defaultDuration } })
    )
  )
  .middleware(Authenticated)

interface Traded {
  readonly maker: bigint
  readonly taker: bigint
}

/** Every one of the days, the earliest first, and all of them together; the last one runs. Amounts are in 1e-6 USD. */
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
