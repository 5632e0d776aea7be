/** The venue's holdings according to a rail. */
import type { Holdings, HoldingsQuestion, RailProvider } from "@venue/providers/rails/RailProvider"
import { Effect, Option } from "effect"

export const question = (asked: Partial<HoldingsQuestion> = {}): HoldingsQuestion => ({
  addresses: [],
  cursor: "",
  sent: [],
  ...asked
})

/** Reads all arrivals, then returns the holdings, or undefined if they are unknown. */
export const holdings = Effect.fnUntraced(function* (provider: RailProvider, asked: Partial<HoldingsQuestion> = {}) {
  const { cursor } = yield* provider.scan(null, Effect.succeed([]))
  const held = yield* provider.holdings(question({ cursor, ...asked }))
  return Option.getOrUndefined(held) as Holdings | undefined
})

export const amount = (provider: RailProvider, addresses: ReadonlyArray<string> = []) =>
  Effect.map(holdings(provider, { addresses }), (held) => held?.amount)
