/** Stubs around a desk or market under test: markets and a feed that the test controls. */
import { Feed } from "@venue/cluster/feed/Feed"
import type { Follower } from "@venue/cluster/feed/Followers"
import type { Batch } from "@venue/cluster/feed/Batch"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { maxViewers, type TraderViews, Unavailable, type Viewer } from "@venue/cluster/protocol/Market"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import type { AccountId } from "@venue/domain/AccountId"
import { type Id, version4 } from "@venue/domain/Id"
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import type { MarketEvent, Priced, TraderCommand } from "@venue/domain/Market"
import type { Stand } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { flat } from "@venue/domain/Position"
import type { PlaceOrder } from "@venue/domain/Order"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { TradingState } from "@venue/domain/TradingState"
import { UserId } from "@venue/domain/UserId"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Effect, Layer, Stream } from "effect"

export const [one, two] = initialInstruments as unknown as [Instrument, Instrument]

/** The listed contracts, and a venue mode that allows everything unless a test changes it. */
export const venue = Layer.mergeAll(VenueModes.layerMemory, DeskReports.layerMemory, settings())

export function settings() {
  return Layer.succeed(VenueSettings)({
    ...defaults,
    desks: 1,
    instruments: new Map([one, two].map((instrument) => [instrument.symbol, instrument]))
  })
}

export const userId = UserId.make("00000000-0000-4000-8000-000000000001")

export const idOf = (n: number): Id => version4(0, 0, 0, n)

/** Returns a market order for three units of the first contract, at up to 200. */
export const buyingThree = (commandId: Id, accountId: AccountId, nowMillis: number): PlaceOrder => ({
  _tag: "PlaceOrder",
  commandId,
  expiresAtMillis: nowMillis + 5_000,
  accountId,
  symbol: one.symbol,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "IOC",
  price: 200,
  quantity: 3,
  reduceOnly: false,
  clientOrderId: "",
  builderCode: ""
})

export const neighbours = () => {
  const followers = new Map<string, Set<Follower>>()
  const heads = new Map<string, number>()
  const submitted: Array<{ readonly symbol: MarketSymbol; readonly command: TraderCommand }> = []
  /** Row number of each reachable market's view. */
  const views = new Map<string, number>()
  const recorded = new Map<string, ReadonlyArray<string>>()
  /** Position of `userId` in each market's view, in lots. */
  const held = new Map<string, number>()
  /** Cash flow of `userId` in each market's view. */
  const cash = new Map<string, number>()
  const asked: Array<string> = []
  /** Number of traders in each view request; `room` is the maximum number of views in one response. */
  const viewed: Array<number> = []
  const room = { viewers: maxViewers }
  const introduced: Array<string> = []
  /** Markets that accept builder codes. */
  const knows = new Set<string>()
  const prices = new Map<MarketSymbol, Priced>()
  const takeovers = new Map<MarketSymbol, Map<string, number>>()
  const tradingStates = new Map<MarketSymbol, TradingState>()
  const watchers = new Set<(batch: Batch) => void>()
  const stands: Array<{ readonly symbol: MarketSymbol; readonly stands: ReadonlyArray<Stand> }> = []
  /** Time of a market's last row or heartbeat; absent by default. */
  const heard = new Map<string, number>()

  const view = (symbol: MarketSymbol, traders: ReadonlyArray<Viewer>) =>
    Effect.suspend((): Effect.Effect<TraderViews, Unavailable> => {
      asked.push(symbol)
      viewed.push(traders.length)
      const seq = views.get(symbol)
      if (seq === undefined) return Effect.fail(new Unavailable({ what: symbol }))
      return Effect.succeed({
        epoch: 1,
        seq,
        traders: traders.slice(0, room.viewers).map(({ accountIds }) => ({
          recorded: recorded.get(symbol) ?? [],
          accounts: accountIds.map((accountId) => ({
            accountId,
            position: { ...flat(), quantityLots: held.get(symbol) ?? 0, cashFlow: cash.get(symbol) ?? 0 },
            isFrozen: false,
            orders: [],
            stops: [],
            twaps: []
          }))
        }))
      })
    })
  const layer = Layer.merge(
    Layer.succeed(Feed)(
      Feed.of({
        follow: (accountId, follower) => {
          const all = followers.get(accountId) ?? new Set()
          followers.set(accountId, all.add(follower))
          return () => void all.delete(follower)
        },
        followMarket: (symbol, follower) => {
          const all = followers.get(symbol) ?? new Set()
          followers.set(symbol, all.add(follower))
          return () => void all.delete(follower)
        },
        watch: (watcher) => {
          watchers.add(watcher)
          return () => void watchers.delete(watcher)
        },
        head: (symbol) => {
          const seq = heads.get(symbol)
          return seq === undefined ? undefined : { epoch: 1, seq, aliveAtMillis: heard.get(symbol) ?? 0 }
        },
        prices,
        sampling: new Map(),
        splitMillis: new Map(),
        openInterest: OpenInterest.none(),
        takeovers,
        tradingStates,
        instruments: defaults.instruments,
        depth: () => undefined
      })
    ),
    Layer.succeed(MarketClient)(
      MarketClient.of({
        submit: (symbol, command) => submitted.push({ symbol, command }) > 0,
        enter: () => () => {},
        view,
        depth: () => Effect.never,
        watch: () => Stream.never,
        stand: (symbol, told) => Effect.sync(() => void stands.push({ symbol, stands: told })),
        observe: () => Effect.void,
        pauseSources: () => Effect.void,
        payDividend: () => Effect.never,
        topUpFund: () => Effect.never,
        alarms: () => Effect.never,
        preview: () => Effect.never,
        introduceBuilder: (symbol, { builderCode }) => {
          introduced.push(`${builderCode} to ${symbol}`)
          return knows.has(symbol) ? Effect.void : Effect.fail(new Unavailable({ what: symbol }))
        },
        setTradingState: () => Effect.never,
        splitContract: () => Effect.never,
        cancelOrders: () => Effect.never,
        setLimits: () => Effect.never,
        delist: () => Effect.never,
        totals: () => Effect.never,
        catchUp: () => Effect.never
      })
    )
  )
  /** Publishes a row with one event to the followers of its account or market, then to all watchers. */
  const tell = (instrument: Instrument, seq: number, followed: AccountId | MarketSymbol, event: MarketEvent) => {
    heads.set(instrument.symbol, seq)
    if (event._tag === "Priced") prices.set(instrument.symbol, event)
    const open = takeovers.get(instrument.symbol) ?? new Map<string, number>()
    takeovers.set(instrument.symbol, open)
    if (event._tag === "TakeoverOpened") open.set(event.takeoverId.text, event.quantityLots)
    else if (event._tag === "TakeoverClosed") open.delete(event.takeoverId.text)
    const batch = { instrument, epoch: 1, seq, events: [event], levels: [] }
    for (const follower of followers.get(followed) ?? []) follower.observe(event, batch)
    for (const watcher of watchers) watcher(batch)
  }
  /** Makes a market reachable, with its feed and views at this row. */
  const answers = (instrument: Instrument, seq = 1) => {
    heads.set(instrument.symbol, seq)
    views.set(instrument.symbol, seq)
  }
  const following = () => [...followers.values()].reduce((sum, all) => sum + all.size, 0)
  return {
    answers,
    asked,
    cash,
    following,
    heads,
    heard,
    held,
    introduced,
    knows,
    layer,
    recorded,
    room,
    stands,
    submitted,
    tell,
    tradingStates,
    viewed,
    views
  }
}

/** Waits long enough for pending commits of a journal in memory. */
export const turns = Effect.repeat(
  Effect.callback<void>((resume) => {
    setImmediate(() => resume(Effect.void))
  }),
  { times: 20 }
)
