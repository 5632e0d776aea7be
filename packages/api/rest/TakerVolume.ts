/** `GET /taker-volume/{symbol}`: what takers bought and what they sold in each window. */
import { decimalOfMoney, unitScale } from "@venue/domain/Decimal"
import type { Instrument } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, minutesQuery, startOf } from "./ChartRange.ts"

export const TakerVolumePoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  intervalMinutes: Schema.Int,
  windowStart: Schema.String,
  takerBuyQty: Schema.Finite,
  takerSellQty: Schema.Finite,
  takerBuyNotional: Schema.Finite,
  takerSellNotional: Schema.Finite,
  /** Bought less sold. */
  netTakerQty: Schema.Finite
}).annotate({ identifier: "TakerVolumePoint" })
export type TakerVolumePoint = typeof TakerVolumePoint.Type

export const TakerVolumeHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(TakerVolumePoint),
  count: Schema.Int
}).annotate({ identifier: "TakerVolumeHistoricResponseBody" })

export const TakerVolumeGroup = HttpApiGroup.make("takerVolume").add(
  HttpApiEndpoint.get("takerVolume", "/taker-volume/:symbol", {
    params: chartParams,
    query: minutesQuery,
    success: HttpApiSchema.WithHeaders(TakerVolumeHistoricResponseBody, chartHeaders),
    error: chartRefusals
  }).annotate(OpenApi.Transform, described(chartParameters))
)

/** All that was traded, and what of it takers bought, in lots and 1e-6 USD. */
export interface Volumes {
  readonly volumeLots: bigint
  readonly notional: bigint
  readonly takerBuyLots: bigint
  readonly takerBuyNotional: bigint
}

const nothing: Volumes = { volumeLots: 0n, notional: 0n, takerBuyLots: 0n, takerBuyNotional: 0n }

/** A window without a trade has none. */
export const takerVolumePoint = (
  { lotE8, symbol }: Instrument,
  intervalMinutes: number,
  startMinute: number,
  { notional, takerBuyLots, takerBuyNotional, volumeLots }: Volumes = nothing
): TakerVolumePoint => {
  const quantity = (lots: bigint) => Number(lots * BigInt(lotE8)) / unitScale
  const soldLots = volumeLots - takerBuyLots
  return {
    symbol,
    intervalMinutes,
    windowStart: startOf(startMinute),
    takerBuyQty: quantity(takerBuyLots),
    takerSellQty: quantity(soldLots),
    takerBuyNotional: decimalOfMoney(takerBuyNotional),
    takerSellNotional: decimalOfMoney(notional - takerBuyNotional),
    netTakerQty: quantity(takerBuyLots - soldLots)
  }
}
