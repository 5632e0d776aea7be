/** Markets of a measured cluster. Each has a constant price and an order quantity worth about 100 USD. */

export interface BenchMarket {
  readonly symbol: string
  readonly price: number
  /** Buy price below the market but inside the price bands. */
  readonly low: number
  readonly quantity: number
}

const listed: ReadonlyArray<readonly [base: string, price: number, digits: number, quantity: number]> = [
  ["AAPL", 200, 2, 0.5],
  ["NVDA", 180, 2, 0.6],
  ["TSLA", 400, 2, 0.3],
  ["MSFT", 500, 2, 0.2],
  ["US500", 6_000, 1, 0.02],
  ["US100", 20_000, 1, 0.005],
  ["GOLD", 3_400, 1, 0.1],
  ["SILVER", 40, 3, 2.5],
  ["CL", 70, 3, 1.5],
  ["COPPER", 5, 3, 20],
  ["NATGAS", 4, 3, 25],
  ["EUR", 1.1, 5, 100],
  ["GBP", 1.3, 5, 100],
  ["AUD", 0.65, 5, 200]
]

export const markets: ReadonlyArray<BenchMarket> = listed.map(([base, price, digits, quantity]) => ({
  symbol: `${base}-USD`,
  price,
  low: Number((price * 0.99).toFixed(digits)),
  quantity
}))

export const prices = markets.map(({ price, symbol }) => [symbol, price] as const)
