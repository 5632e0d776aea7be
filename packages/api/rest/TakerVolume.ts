/** `GET /taker-volume/{symbol}`: volume bought and sold by takers in each window. */
import { decimalOfMoney, unitScale } from "@venue/domain/Decimal"
import type { Instrument } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RowCount, Rows, SchemaLink, SymbolName } from "../Body.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, minutesQuery, startOf } from "./ChartRange.ts"
import { operation } from "../Operation.ts"

/** Taker volume of one window. */
export const TakerVolumePoint = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  intervalMinutes: Schema.Int.annotate({ description: "Length of the window, in minutes." }),
  windowStart: Schema.String.annotate({ description: "Window start, ISO 8601 in UTC." }),
  takerBuyQty: Schema.Finite.annotate({ description: "Quantity bought by takers, in base units." }),
  takerSellQty: Schema.Finite.annotate({ description: "Quantity sold by takers, in base units." }),
  takerBuyNotional: Schema.Finite.annotate({ description: "Notional bought by takers, in USD." }),
  takerSellNotional: Schema.Finite.annotate({ description: "Notional sold by takers, in USD." }),
  netTakerQty: Schema.Finite.annotate({ description: "Quantity bought minus quantity sold by takers, in base units." })
}).annotate({ identifier: "TakerVolumePoint", description: "Taker volume of one window." })
export type TakerVolumePoint = typeof TakerVolumePoint.Type

/** Response body of `GET /taker-volume/{symbol}`. */
export const TakerVolumeHistoricResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(TakerVolumePoint).annotate({ description: "Windows, oldest first." }),
  count: RowCount
}).annotate({ identifier: "TakerVolumeHistoricResponseBody" })

export const TakerVolumeGroup = HttpApiGroup.make("takerVolume").add(
  HttpApiEndpoint.get("takerVolume", "/taker-volume/:symbol", {
    params: chartParams,
    query: minutesQuery,
    success: HttpApiSchema.WithHeaders(TakerVolumeHistoricResponseBody, chartHeaders),
    error: chartRefusals
  })
    .annotateMerge(
      operation(
        "List taker volume",
        "Returns the quantities and notionals that takers bought and sold in each window, oldest first. Refused " +
          "with 404 for an unknown symbol, and with 400 for an unsupported interval or a range of too " +
          "many windows. No credentials are needed."
      )
    )
    .annotate(OpenApi.Transform, described(chartParameters))
)

/** Total volume and volume bought by takers, in lots and 1e-6 USD. */
export interface Volumes {
  readonly volumeLots: bigint
  readonly notional: bigint
  readonly takerBuyLots: bigint
  readonly takerBuyNotional: bigint
}

const nothing: Volumes = { volumeLots: 0n, notional: 0n, takerBuyLots: 0n, takerBuyNotional: 0n }

/** Returns one window; all volumes are 0 if there was no trade. */
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
