/** What may happen to a trader: each kind of step takes of the rest what it needs. */
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
  /** Prices lie this far from the mark at most, in basis points. */
  offset: FastCheck.integer({ min: -1_300, max: 1_300 }),
  size: FastCheck.integer({ min: 1, max: 40 }),
  /** FLAT asks for the whole position back, without saying reduce-only. */
  style: FastCheck.constantFrom("GTC", "GTC", "GTC", "IOC", "MARKET", "REDUCE", "FLAT"),
  pick: FastCheck.nat(1_000)
})
export type Step = typeof step extends FastCheck.Arbitrary<infer A> ? A : never
