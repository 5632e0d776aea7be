/** Generators of the steps of a trader's life; each kind of step uses the random values that it needs. */
import * as FastCheck from "fast-check"

export const step = FastCheck.record({
  kind: FastCheck.constantFrom(
    "place",
    "place",
    "place",
    "modify",
    "price",
    "outcome",
    "outcome",
    "outcome",
    "fill",
    "fill",
    "end",
    "hour",
    "reward",
    "money",
    "move",
    "deposit",
    "withdraw",
    "undo",
    "tier"
  ),
  account: FastCheck.nat(1),
  symbol: FastCheck.nat(1),
  buy: FastCheck.boolean(),
  /** Maximum distance of prices from the mark, in basis points. */
  offset: FastCheck.integer({ min: -1_300, max: 1_300 }),
  size: FastCheck.integer({ min: 1, max: 40 }),
  /** FLAT requests an order for the whole position in the opposite direction, without reduce-only. */
  style: FastCheck.constantFrom("GTC", "GTC", "GTC", "IOC", "MARKET", "REDUCE", "FLAT"),
  pick: FastCheck.nat(1_000)
})
export type Step = typeof step extends FastCheck.Arbitrary<infer A> ? A : never
