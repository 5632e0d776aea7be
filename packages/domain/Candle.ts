/** Open, high, low, close and volume of the trades in one window of time. */

/** Prices in ticks, volume in lots, notional in 1e-6 USD. */
export interface Candle {
  readonly openTicks: number
  readonly highTicks: number
  readonly lowTicks: number
  readonly closeTicks: number
  readonly volumeLots: bigint
  readonly notional: bigint
  readonly trades: number
}

/** Returns the candle of a single trade. */
export const ofTrade = (trade: {
  readonly priceTicks: number
  readonly quantityLots: number
  readonly notional: number
}): Candle => ({
  openTicks: trade.priceTicks,
  highTicks: trade.priceTicks,
  lowTicks: trade.priceTicks,
  closeTicks: trade.priceTicks,
  volumeLots: BigInt(trade.quantityLots),
  notional: BigInt(trade.notional),
  trades: 1
})

/** Returns the combined candle of two adjacent windows. Members that are not part of a candle come from `before`. */
export const merged = <C extends Candle>(before: C, next: Candle): C => ({
  ...before,
  highTicks: Math.max(before.highTicks, next.highTicks),
  lowTicks: Math.min(before.lowTicks, next.lowTicks),
  closeTicks: next.closeTicks,
  volumeLots: before.volumeLots + next.volumeLots,
  notional: before.notional + next.notional,
  trades: before.trades + next.trades
})
