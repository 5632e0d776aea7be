/** Prints frames about TWAPs. */
import type { Instrument } from "@venue/domain/Instrument"
import type { Twap, TwapStatus } from "@venue/domain/Twap"
import { averagePrice } from "../AveragePrice.ts"
import * as Digits from "../Digits.ts"

/** TWAP with its status and market. */
export interface TwapRow {
  readonly instrument: Instrument
  readonly twap: Twap
  readonly status: TwapStatus
}

/** Prints the state of a TWAP. */
export const twapResponse = (row: TwapRow): string => `{"twap_response":${twapBody(row)}}`

/** Prints the order response to a TWAP's cancel, because clients wait for an order response after any cancel. */
export const twapCancelled = (instrument: Instrument, twap: Twap, updateMillis: number): string =>
  `{"order_response":{"order_id":"${twap.twapId}","symbol":"${instrument.symbol}","status":"CANCELLED","quantity":${quantity(
    instrument,
    twap.totalLots
  )},"price":${price(instrument, twap.worstTicks)},"take_profit":0,"stop_loss":0,"side":"${twap.side}","type":"${
    twap.worstTicks === 0 ? "MARKET" : "LIMIT"
  }","time_in_force":"IOC","user_id":"${twap.accountId}","client_order_id":${JSON.stringify(
    twap.clientTwapId
  )},"quantity_remaining":${quantity(
    instrument,
    twap.totalLots - twap.filledLots
  )},"update_time":${Digits.seconds(updateMillis)},"trade_id":null,"reduce_only":${twap.reduceOnly}}}`

/** Prints the JSON object of a TWAP. */
export const twapBody = ({ instrument, status, twap }: TwapRow): string =>
  `{"twap_id":"${twap.twapId}","client_twap_id":${
    twap.clientTwapId === "" ? "null" : JSON.stringify(twap.clientTwapId)
  },"user_id":"${twap.accountId}","status":"${status}","symbol":"${instrument.symbol}","total_quantity":${quantity(
    instrument,
    twap.totalLots
  )},"filled_quantity":${quantity(instrument, twap.filledLots)},"average_fill_price":${averagePrice(instrument, {
    basis: twap.filledValue,
    quantityLots: twap.filledLots
  })},"total_num_orders":${twap.slices},"filled_num_orders":${twap.filledSlices},"order_interval_secs":${
    twap.intervalMillis / 1_000
  },"reduce_only":${twap.reduceOnly},"side":"${twap.side}","worst_price":${price(
    instrument,
    twap.worstTicks
  )},"start_time":${Digits.seconds(twap.startMillis)},"created_at":${Digits.seconds(
    twap.createdAtMillis
  )},"updated_at":${Digits.seconds(twap.updatedAtMillis)}}`

const price = (instrument: Instrument, ticks: number): string => Digits.units(ticks * instrument.tickE8)

const quantity = (instrument: Instrument, lots: number): string => Digits.units(lots * instrument.lotE8)
