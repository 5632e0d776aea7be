/** Prints `market_stats`: the statistics of several markets in one frame. */
import type { Instrument } from "@venue/domain/Instrument"
import * as Digits from "../Digits.ts"
import { type Body, bodyOf } from "./Frame.ts"
import * as FrameText from "./FrameText.ts"

/** Traded volume. */
export interface Volume {
  readonly lots: bigint
  /** In 1e-6 USD. */
  readonly notional: bigint
}

/** Statistics of one market that has a price. */
export interface MarketStats {
  readonly instrument: Instrument
  /** `undefined` for a side without orders. */
  readonly bid: FrameText.PriceLevel | undefined
  readonly ask: FrameText.PriceLevel | undefined
  readonly markE8: number
  readonly pricedAtMillis: number
  readonly openInterestLots: number
  readonly rateE12: number
  /** Undefined until loaded. */
  readonly volumes: { readonly daily: Volume; readonly rolling: Volume } | undefined
}

/** Prints the statistics of the market `symbol`, or of all markets for `*`. */
export const marketStats = (symbol: string, markets: ReadonlyArray<MarketStats>, atMillis: number): Body => {
  const list = (name: string, item: (market: MarketStats) => string): string =>
    `"${name}":[${markets
      .map(item)
      .filter((text) => text !== "")
      .map((text) => `{${text}}`)
      .join(",")}]`
  const arrays = [
    list(
      "bbos",
      ({ ask, bid, instrument }) => `${FrameText.head(instrument, atMillis)},${FrameText.best(instrument, bid, ask)}`
    ),
    list(
      "mark_prices",
      ({ instrument, markE8, pricedAtMillis }) =>
        `${FrameText.head(instrument, pricedAtMillis)},"price":"${Digits.units(markE8)}"`
    ),
    list(
      "open_interests",
      ({ instrument, openInterestLots, pricedAtMillis }) =>
        `${FrameText.head(instrument, pricedAtMillis)},"open_interest":"${FrameText.quantity(instrument, BigInt(openInterestLots))}"`
    ),
    list("daily_volumes", ({ instrument, volumes }) =>
      volumes === undefined
        ? ""
        : `"symbol":"${instrument.symbol}","volume":"${FrameText.quantity(instrument, volumes.daily.lots)}"`
    ),
    list(
      "funding_rates",
      ({ instrument, rateE12 }) => `${FrameText.head(instrument, atMillis)},${FrameText.rate(rateE12, atMillis)}`
    ),
    list("rolling_volumes", ({ instrument, volumes }) =>
      volumes === undefined
        ? ""
        : `"symbol":"${instrument.symbol}","quantity_24h":"${FrameText.quantity(
            instrument,
            volumes.rolling.lots
          )}","usd_notional_24h":"${Digits.money(volumes.rolling.notional)}"`
    )
  ]
  return bodyOf("market_stats", `,"time":"${Digits.instant(atMillis)}","symbol":"${symbol}",${arrays.join(",")}}`)
}
