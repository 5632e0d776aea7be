/**
 * Prepares a builder code for use. Its owner joins every market, and each market records the code. The owner's ledger
 * then receives every reward from the feed, so no market has to look up a trader.
 */
import type { IntroduceBuilder } from "@venue/domain/Builder"
import * as Ledger from "@venue/ledger/Ledger"
import { Effect, identity } from "effect"
import { MarketClient } from "../../../clients/MarketClient.ts"
import type { Unavailable } from "../../../protocol/Market.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import * as TraderCalls from "../traders/TraderCalls.ts"
import type { Traders } from "../traders/Traders.ts"

export interface Builders {
  /**
   * Records that the user owns the code, and adds `builder_rewards` to the user's balance. The owner joins markets
   * only when an order first carries the code, so an unused code costs the markets nothing.
   */
  readonly register: (builder: Pick<IntroduceBuilder, "builderCode" | "ownerId">) => Effect.Effect<void, Unavailable>
  /** Joins every market and introduces the code there. Markets that already have the code are skipped. */
  readonly appoint: (builder: Omit<IntroduceBuilder, "_tag">) => Effect.Effect<void, Unavailable>
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const markets = yield* MarketClient
  const { instruments } = yield* VenueSettings
  return identity<Builders>({
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
  })
})
