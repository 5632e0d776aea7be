/** Shared test venue at 10:00 in New York, and the messages that clients send. */
import type { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import type { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import type { InvitationCodes } from "@venue/storage/access/InvitationCodes"
import { Journal } from "@venue/journal/Journal"
import type { Frame as TradeFrame, OrderResponse } from "@venue/api/trade/FrameSchema"
import { layerOn, TestVenue } from "@venue/testing/TestVenue"
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import { TestClock } from "effect/testing"

/**
 * A Friday on which stocks, indices, commodities and currencies are all open, so bands and limits are at their
 * widest.
 */
export const friday = Date.UTC(2026, 10, 20, 15)

export const aapl = MarketSymbol.make("AAPL-USD")
export const gold = MarketSymbol.make("GOLD-USD")

/** A time in the middle of the weekend, when bands and limits are at their narrowest. */
export const saturday = Date.UTC(2026, 10, 21, 15)

/** Declares a test with a separate venue, where AAPL is at 200 USD. */
export const story = <E>(
  name: string,
  tell: (
    venue: TestVenue["Service"]
  ) => Effect.Effect<
    void,
    E,
    | TestVenue
    | BuilderCodes
    | InvitationCodes
    | DeskClient
    | LocalEntities
    | MarketClient
    | Journal
    | ReadTables
    | Sharding
    | Scope.Scope
  >,
  atMillis = friday,
  journal = Journal.layerMemory
) =>
  it.effect(name, () =>
    Effect.andThen(
      TestClock.setTime(atMillis),
      Effect.gen(function* () {
        const venue = yield* TestVenue
        yield* venue.price(aapl, 200)
        yield* Effect.scoped(tell(venue))
      }).pipe(Effect.provide(layerOn(journal)), Effect.provideService(VenueSettings, fewMarkets))
    )
  )

/** Default settings without the markets that no test needs, because each market costs time whenever the clock moves. */
export const fewMarkets = {
  ...defaults,
  instruments: new Map(
    [aapl, MarketSymbol.make("NVDA-USD"), gold, MarketSymbol.make("NATGAS-USD")].map(
      (symbol) => [symbol, defaults.instruments.get(symbol)!] as const
    )
  )
}

type Side = "BUY" | "SELL"

const add = (params: object) => ({ type: "add_order", params })

/** Returns a limit order, GTC in AAPL by default. `more` overrides members. */
export const limit = (side: Side, quantity: number, price: number, more: object = {}) =>
  add({ symbol: aapl, side, order_type: "LIMIT", order_time_in_force: "GTC", quantity, price, ...more })

export const market = (side: Side, quantity: number, more: object = {}) =>
  add({ symbol: aapl, side, order_type: "MARKET", order_time_in_force: "IOC", quantity, price: 0, ...more })

/** Returns a modify command for the order in a response. `changes` overrides members. */
export const modify = (
  order: Pick<OrderResponse, "order_id" | "symbol" | "side" | "type" | "reduce_only">,
  changes: object
) => ({
  type: "modify_order",
  params: {
    symbol: order.symbol,
    order_id: order.order_id,
    side: order.side,
    order_type: order.type,
    reduce_only: order.reduce_only,
    ...changes
  }
})

export const cancel = (id: string, kind = "order_id", symbol = aapl) => ({
  type: "cancel_order",
  params: { symbol, order_id: id, cancel_order_id_type: kind }
})

export const say = (type: string, params: object = {}) => ({ type, params })

/** Returns a short description of each frame, in order: its status, error code or key. */
export const told = (frames: ReadonlyArray<TradeFrame>): ReadonlyArray<string> =>
  frames.map((frame) => frame.order_response?.status ?? frame.err?.error_code ?? Object.keys(frame)[0] ?? "")
