/** Tests of ended TWAPs, as records and as CSV lines. */
import { HistoricTwap, historicTwap, historicTwapsFile, type UserTwap } from "@venue/api/rest/HistoricTwaps"
import { initialInstruments } from "@venue/domain/Instrument"
import { expect, it } from "vitest"
import { Schema } from "effect"

const gold = initialInstruments.find(({ symbol }) => symbol === "GOLD-USD")!

const twap: UserTwap = {
  twapId: "t-1",
  clientTwapId: "",
  status: "COMPLETED",
  symbol: gold.symbol,
  side: "SELL",
  totalQuantity: 12_000,
  filledQuantity: 3_000,
  filledValue: 10_233_200_000,
  worstPrice: 33_905,
  slices: 6,
  filledSlices: 2,
  intervalMillis: 45_000,
  reduceOnly: true,
  startAtMillis: 1_790_503_244_118,
  createdAtMillis: 1_790_503_200_000,
  endedAtMillis: 1_790_503_300_000
}

it("returns an ended TWAP's filled quantity and average price, and an empty client id if none was given", () => {
  const record = historicTwap(gold, twap)
  expect(record).toEqual({
    twap_id: "t-1",
    client_twap_id: "",
    status: "COMPLETED",
    symbol: "GOLD-USD",
    side: "SELL",
    total_quantity: 12,
    filled_quantity: 3,
    average_fill_price: 3_411.06666667,
    worst_price: 3_390.5,
    total_num_orders: 6,
    filled_num_orders: 2,
    order_interval_secs: 45,
    reduce_only: true,
    start_time: "2026-09-27T10:00:44.118Z",
    created_at: "2026-09-27T10:00:00.000Z",
    updated_at: "2026-09-27T10:01:40.000Z"
  })
  expect(Schema.decodeUnknownSync(HistoricTwap)(record)).toEqual(record)
  expect(historicTwap(gold, { ...twap, filledQuantity: 0, filledValue: 0, worstPrice: 0 })).toMatchObject({
    average_fill_price: 0,
    worst_price: 0
  })
})

it("prints a TWAP as a CSV line with the record's members in order", () => {
  expect(historicTwapsFile.columns.join(",")).toBe(
    "twap_id,client_twap_id,status,symbol,side,total_quantity,filled_quantity,average_fill_price,worst_price," +
      "total_num_orders,filled_num_orders,order_interval_secs,reduce_only,start_time,created_at,updated_at"
  )
  expect(historicTwapsFile.cells(gold, { ...twap, clientTwapId: "-x" }).join(",")).toBe(
    "t-1,'-x,COMPLETED,GOLD-USD,SELL,12,3,3411.06666667,3390.5,6,2,45,true,2026-09-27T10:00:44.118000Z," +
      "2026-09-27T10:00:00.000000Z,2026-09-27T10:01:40.000000Z"
  )
})
