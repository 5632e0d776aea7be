/** Outside prices for a venue without an outside: one seeded walk for each instrument. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect } from "effect"

/** Everything the next step depends on. Prices in 1e-8 USD. */
export interface Walk {
  /** The price it is drawn back to and stays near. */
  readonly home: number
  readonly price: number
  /** State of its own xorshift, never 0. */
  readonly chance: number
}

export interface SimulatedPricesOptions {
  readonly seed: number
  readonly symbols: ReadonlyArray<MarketSymbol>
  /** Prices to go on from, as after a restart; a symbol that is not there starts at its own. */
  readonly from?: ReadonlyMap<MarketSymbol, number>
  /** Steps a second. */
  readonly speed: number
  readonly sink: (symbol: MarketSymbol, price: number) => Effect.Effect<void>
}

export interface SimulatedPrices {
  /** Hands over every price, then one step after another. */
  readonly run: Effect.Effect<never>
  /** Somebody set this price: the walk goes on from there and makes it its home. */
  readonly reset: (symbol: MarketSymbol, price: number) => Effect.Effect<void>
}

/** In 1e-8 USD. */
export const startPrices: ReadonlyMap<MarketSymbol, number> = new Map(
  [
    ["AAPL-USD", 200],
    ["NVDA-USD", 140],
    ["TSLA-USD", 250],
    ["MSFT-USD", 420],
    ["US500-USD", 6_000],
    ["US100-USD", 21_000],
    ["GOLD-USD", 3_400],
    ["SILVER-USD", 38],
    ["CL-USD", 71],
    ["COPPER-USD", 4.5],
    ["NATGAS-USD", 3.2],
    ["EUR-USD", 1.085],
    ["GBP-USD", 1.27],
    ["AUD-USD", 0.655]
  ].map(([symbol, price]) => [MarketSymbol.make(symbol as string), Math.round((price as number) * 1e8)])
)

export const begin = (home: number, seed: number): Walk => ({
  home,
  price: home,
  chance: Math.imul(seed, spread) || 1
})

/** One step: a small move, a pull towards home, never more than 5 % away from it. */
export const step = ({ chance, home, price }: Walk): Walk => {
  const first = xorshift(chance)
  const second = xorshift(first)
  // Two even draws make a triangle between -1 and 1: small moves are likelier than large ones.
  const noise = ((first >>> 0) + (second >>> 0)) / 2 ** 32 - 1
  const moved = Math.round(price + price * largestMove * noise + (home - price) * pull)
  const reach = Math.floor(home * furthest)
  return { home, price: Math.max(home - reach, Math.min(home + reach, moved)), chance: second }
}

export const make = Effect.fn("SimulatedPrices.make")(function* (
  options: SimulatedPricesOptions
): Effect.fn.Return<SimulatedPrices> {
  const walks = new Map<MarketSymbol, Walk>()
  options.symbols.forEach((symbol, index) => {
    const home = options.from?.get(symbol) ?? startPrices.get(symbol)
    if (home !== undefined) walks.set(symbol, begin(home, options.seed + index))
  })
  const pause = Math.max(1, Math.round(1_000 / options.speed))
  // Each price is read when its turn comes, so that one set meanwhile is not followed by an older one.
  const tell = Effect.forEach(
    [...walks.keys()],
    (symbol) => Effect.suspend(() => options.sink(symbol, walks.get(symbol)!.price)),
    { discard: true }
  )
  const move = Effect.sync(() => {
    for (const [symbol, walk] of walks) walks.set(symbol, step(walk))
  })
  return {
    run: Effect.forever(Effect.andThen(tell, Effect.andThen(Effect.sleep(pause), move))),
    reset: (symbol, price) =>
      Effect.sync(() => {
        const walk = walks.get(symbol)
        if (walk !== undefined) walks.set(symbol, { ...walk, home: price, price })
      })
  }
})

/** A basis point and a half a step at most, half of that as a rule. */
const largestMove = 0.000_15
const pull = 0.000_2
const furthest = 0.05
/** Keeps the walks of neighbouring seeds apart. */
const spread = 0x9e3779b1

function xorshift(state: number): number {
  let next = state
  next ^= next << 13
  next ^= next >>> 17
  next ^= next << 5
  return next
}
