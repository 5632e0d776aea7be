/** Simulated prices for development: one seeded random walk per instrument. */
import type { Priced } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect } from "effect"
import type { PriceSource } from "@venue/providers/prices/PriceSource"

/** State of a walk. Prices in 1e-8 USD. */
export interface Walk {
  /** Price to which the walk reverts. */
  readonly home: number
  readonly price: number
  /** State of the walk's own xorshift generator, never 0. */
  readonly chance: number
}

export interface SimulatedPricesOptions {
  readonly seed: number
  readonly symbols: ReadonlyArray<MarketSymbol>
  /** Steps per second. */
  readonly speed: number
}

/** Start price of each symbol, in 1e-8 USD. */
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

/** Returns the walk after one move: a small change and a pull towards `home`, at most 5 % away from `home`. */
export const stepped = ({ chance, home, price }: Walk): Walk => {
  const first = xorshift(chance)
  const second = xorshift(first)
  // The sum of two uniform draws has a triangular distribution in [-1, 1]: small moves are likelier than large ones.
  const noise = ((first >>> 0) + (second >>> 0)) / 2 ** 32 - 1
  const moved = Math.round(price + price * largestMove * noise + (home - price) * pull)
  const reach = Math.floor(home * furthest)
  return { home, price: Math.max(home - reach, Math.min(home + reach, moved)), chance: second }
}

/**
 * Returns a source that sends all prices immediately and then at each move. A walk starts at the current price. A
 * price that an operator sets becomes the walk's new home.
 */
export const make = ({ seed, speed, symbols: requested }: SimulatedPricesOptions): PriceSource => {
  const symbols = requested.filter((symbol) => startPrices.has(symbol))
  const pauseMillis = Math.max(1, Math.round(1_000 / speed))
  return {
    name: "simulated",
    symbols: new Map(symbols.map((symbol) => [symbol, { spot: symbol }])),
    run: ({ inForce, tell }) => {
      const walks = new Map(
        symbols.map((symbol, index) => {
          const from = inForce(symbol)
          const walk = begin(from?.oracleE8 ?? startPrices.get(symbol)!, seed + index)
          return [symbol, { walk, wordAtMillis: wordAt(from) }]
        })
      )
      const step = Effect.sync(() => {
        for (const [symbol, { walk, wordAtMillis }] of walks) {
          const now = inForce(symbol)
          const nextWord = wordAt(now) ?? wordAtMillis
          const next = now === undefined || nextWord === wordAtMillis ? stepped(walk) : resumed(walk, now.oracleE8)
          walks.set(symbol, { walk: next, wordAtMillis: nextWord })
        }
      })
      const sendAll = Effect.sync(() => {
        for (const [contract, { walk }] of walks) tell({ contract, priceE8: walk.price })
      })
      return Effect.forever(Effect.andThen(sendAll, Effect.andThen(Effect.sleep(pauseMillis), step)))
    }
  }
}

/** Returns the time at which an operator set the current price, or undefined for other sources. */
const wordAt = (priced: Priced | undefined): number | undefined =>
  priced?.source === "operator" ? priced.toldAtMillis : undefined

const resumed = ({ chance }: Walk, priceE8: number): Walk => ({ home: priceE8, price: priceE8, chance })

/** Largest move per step: 1.5 basis points. */
const largestMove = 0.000_15
const pull = 0.000_2
const furthest = 0.05
/** Separates the walks of neighbouring seeds. */
const spread = 0x9e3779b1

function xorshift(state: number): number {
  let next = state
  next ^= next << 13
  next ^= next >>> 17
  next ^= next << 5
  return next
}
