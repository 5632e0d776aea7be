/**
 * The owner of a builder code joins every market before an order can carry the code, and each market learns the code. So
 * no market ever has to find a trader, and the owner's ledger hears of all that the code earns.
 */
import type { IntroduceBuilder } from "@venue/domain/Builder"
import * as Ledger from "@venue/ledger/Ledger"
import { Effect } from "effect"
import { MarketClient } from "../../../clients/MarketClient.ts"
import type { Unavailable } from "../../../protocol/Market.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import * as TraderCalls from "../traders/TraderCalls.ts"
import type { Traders } from "../traders/Traders.ts"

export interface Builders {
  /**
   * Records that the user owns the code: their balance has `builder_rewards` from then on. No market is joined before an order
   * carries the code, so a code that nobody uses costs no market anything.
   */
  readonly register: (builder: Pick<IntroduceBuilder, "builderCode" | "ownerId">) => Effect.Effect<void, Unavailable>
  /** Done at once for who has done it; a market that was listed since is joined now. A repeat goes on where it stopped. */
  readonly appoint: (builder: Omit<IntroduceBuilder, "_tag">) => Effect.Effect<void, Unavailable>
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const markets = yield* MarketClient
  const { instruments } = yield* VenueSettings
  return {
    register: Effect.fnUntraced(function* ({ builderCode, ownerId }) {
      const trader = yield* traders.wake(ownerId)
      if (Ledger.ownsCode(trader.ledger)) return
      yield* TraderCalls.changed(trader, { _tag: "AppointBuilder", builderCode, symbols: [] })
    }),
    appoint: Effect.fnUntraced(function* (builder) {
      const trader = yield* traders.wake(builder.ownerId)
      const symbols = [...instruments.keys()].filter((symbol) => !Ledger.isBuilderIn(trader.ledger, symbol))
      if (symbols.length === 0) return
      for (const symbol of symbols) trader.join(symbol)
      yield* TraderCalls.live(trader)
      yield* Effect.forEach(symbols, (symbol) => markets.introduceBuilder(symbol, builder), {
        discard: true,
        concurrency: "unbounded"
      })
      yield* TraderCalls.changed(trader, { _tag: "AppointBuilder", builderCode: builder.builderCode, symbols })
    })
  } satisfies Builders as Builders
})
