/** Sends commands to markets in batches. Each node has at most one batch in flight to each market on another node. */
import type { MarketAlarm } from "@venue/domain/Alarm"
import type { IntroduceBuilder } from "@venue/domain/Builder"
import type { Stand } from "@venue/domain/Liquidation"
import type { PriceOrigin, TraderCommand } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { MarketPreview, PreviewCommand } from "@venue/domain/Preview"
import type { TopUpFund } from "@venue/domain/ReserveFund"
import type { Limits } from "@venue/domain/Limits"
import type { SplitContract } from "@venue/domain/Split"
import type { OpenState } from "@venue/domain/TradingState"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Context, Effect, Exit, Layer, type Stream } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import {
  type DepthAt,
  Market,
  type Totals,
  type TraderViews,
  type Unavailable,
  type Viewer,
  type Watched
} from "../protocol/Market.ts"
import * as Batcher from "./Batcher.ts"
import * as ClientMetrics from "./ClientMetrics.ts"
import { bounded } from "./ClusterFault.ts"
import { LocalEntities } from "./LocalEntities.ts"
import * as MarketNodes from "./MarketNodes.ts"
import * as Places from "./Places.ts"

/** Delay before an unacknowledged batch is sent again. */
const retryMillis = 50

export class MarketClient extends Context.Service<
  MarketClient,
  {
    /**
     * Queues a command and retries it until the market has recorded an outcome. If the trader has left this node,
     * retries stop when the command expires. Returns false if the queue is full.
     */
    readonly submit: (symbol: MarketSymbol, command: TraderCommand) => boolean
    /** Registers a trader's epoch on this node. Returns a function that removes it. */
    readonly enter: (userId: UserId, traderEpoch: number) => () => void
    /** Returns the market's state for at most `maxViewers` traders. */
    readonly view: (symbol: MarketSymbol, traders: ReadonlyArray<Viewer>) => Effect.Effect<TraderViews, Unavailable>
    /** Sends stands without retries. A stand states how much of the open takeovers an account can bear. */
    readonly stand: (symbol: MarketSymbol, stands: ReadonlyArray<Stand>) => Effect.Effect<void, Unavailable>
    readonly depth: (symbol: MarketSymbol) => Effect.Effect<DepthAt, Unavailable>
    /** Returns the outcome that an order would have if it were placed now. */
    readonly preview: (symbol: MarketSymbol, command: PreviewCommand) => Effect.Effect<MarketPreview, Unavailable>
    /** Streams the rows of a market on another node. Meanwhile, commands are sent directly to that node. */
    readonly watch: (symbol: MarketSymbol) => Stream.Stream<Watched, Unavailable>
    /**
     * Makes the market write its tables for queries up to row `seq` without delay, because a reader is waiting for
     * them.
     */
    readonly catchUp: (symbol: MarketSymbol, seq: number) => Effect.Effect<void, Unavailable>
    /** Sends an external price. `quotedAtMillis` is the source's quote time, by default the time of arrival. */
    readonly observe: (
      symbol: MarketSymbol,
      priceE8: number,
      teller: PriceOrigin,
      quotedAtMillis?: number
    ) => Effect.Effect<void, Unavailable>
    readonly pauseSources: (symbol: MarketSymbol, paused: boolean) => Effect.Effect<void, Unavailable>
    readonly payDividend: (symbol: MarketSymbol, exDay: number, perUnitE8: number) => Effect.Effect<void, Unavailable>
    readonly topUpFund: (
      symbol: MarketSymbol,
      topUp: Omit<TopUpFund, "_tag">
    ) => Effect.Effect<number | null, Unavailable>
    readonly introduceBuilder: (
      symbol: MarketSymbol,
      builder: Omit<IntroduceBuilder, "_tag">
    ) => Effect.Effect<void, Unavailable>
    readonly setTradingState: (symbol: MarketSymbol, state: OpenState) => Effect.Effect<void, Unavailable>
    readonly splitContract: (
      symbol: MarketSymbol,
      split: Omit<SplitContract, "_tag">
    ) => Effect.Effect<{ readonly isDone: boolean; readonly missing: number | null }, Unavailable>
    /** Cancels all orders of a market; a repeated call continues if `isDone` is false. */
    readonly cancelOrders: (symbol: MarketSymbol) => Effect.Effect<{ readonly isDone: boolean }, Unavailable>
    readonly setLimits: (symbol: MarketSymbol, limits: Limits) => Effect.Effect<void, Unavailable>
    readonly delist: (symbol: MarketSymbol) => Effect.Effect<void, Unavailable>
    readonly alarms: (symbol: MarketSymbol) => Effect.Effect<ReadonlyArray<MarketAlarm>, Unavailable>
    readonly totals: (symbol: MarketSymbol) => Effect.Effect<Totals, Unavailable>
  }
>()("@venue/cluster/MarketClient") {
  static readonly layer: Layer.Layer<MarketClient, never, LocalEntities | Sharding> = Layer.effect(
    MarketClient,
    Effect.gen(function* () {
      const localEntities = yield* LocalEntities
      const places = yield* Places.make
      const clientAt = yield* Market.client
      const client = (symbol: MarketSymbol) => clientAt(places.market(symbol))
      const clock = yield* Clock.Clock
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const nodes = yield* MarketNodes.make
      const batchers = new Map<MarketSymbol, Batcher.Batcher<TraderCommand>>()
      const { refused, timed } = yield* ClientMetrics.ofMarkets(batchers)
      /** Epoch of each trader on this node. Commands from these traders are retried even after they expire. */
      const epochs = new Map<UserId, number>()
      const ask = <A, E>(symbol: MarketSymbol, call: Effect.Effect<A, E>) => bounded(`market ${symbol}`, call)

      const depthElsewhere = (symbol: MarketSymbol) =>
        Effect.tap(ask(symbol, client(symbol).Depth()), ({ node }) => Effect.sync(() => nodes.locate(symbol, node)))

      const make = (symbol: MarketSymbol) =>
        Batcher.make<TraderCommand>({
          send: (commands, sent) => {
            const done = timed(sent)
            const here = localEntities.markets.get(symbol)
            if (here !== undefined) return here.submit(commands, done)
            const link = nodes.link(symbol)
            const call =
              link === undefined
                ? ask(symbol, client(symbol).Submit({ commands }))
                : ask(symbol, link.SubmitToMarket({ symbol, commands }))
            run(Effect.onExit(call, (exit) => Effect.sync(() => done(Exit.isSuccess(exit)))))
          },
          // Runs after the desk's whole batch and before the next input, so that sending does not wait for another
          // turn of the event loop.
          gather: queueMicrotask,
          pause: (again) => run(Effect.andThen(Effect.sleep(retryMillis), Effect.sync(again))),
          isRetried: ({ expiresAtMillis, traderEpoch, userId }) =>
            epochs.get(userId) === traderEpoch || clock.currentTimeMillisUnsafe() <= expiresAtMillis,
          // Overlapping is safe for a market on this node, because calls to it keep their order.
          mayOverlap: () => localEntities.markets.has(symbol)
        })
      const batcherOf = (symbol: MarketSymbol) => {
        let batcher = batchers.get(symbol)
        if (batcher === undefined) batchers.set(symbol, (batcher = make(symbol)))
        return batcher
      }

      return MarketClient.of({
        submit: (symbol, command) => {
          const isQueued = batcherOf(symbol).push(command)
          if (!isQueued) refused()
          return isQueued
        },
        enter: (userId, traderEpoch) => {
          epochs.set(userId, traderEpoch)
          return () => {
            if (epochs.get(userId) === traderEpoch) epochs.delete(userId)
          }
        },
        view: (symbol, traders) =>
          Effect.suspend(
            () => localEntities.markets.get(symbol)?.view(traders) ?? ask(symbol, client(symbol).View({ traders }))
          ),
        stand: (symbol, stands) => ask(symbol, client(symbol).Stand({ stands })),
        depth: (symbol) => Effect.suspend(() => localEntities.markets.get(symbol)?.depth ?? depthElsewhere(symbol)),
        preview: (symbol, command) =>
          Effect.suspend(() => {
            const here = localEntities.markets.get(symbol)
            return ask(symbol, here === undefined ? client(symbol).Preview({ command }) : here.preview(command))
          }),
        watch: (symbol) => nodes.watch(symbol, () => client(symbol).Watch()),
        catchUp: (symbol, seq) => ask(symbol, client(symbol).CatchUp({ seq })),
        observe: (symbol, priceE8, teller, quotedAtMillis) => {
          const quoted = quotedAtMillis === undefined ? {} : { quotedAtMillis }
          return ask(symbol, client(symbol).Observe({ priceE8, teller, ...quoted }))
        },
        pauseSources: (symbol, paused) => ask(symbol, client(symbol).PauseSources({ paused })),
        payDividend: (symbol, exDay, perUnitE8) => ask(symbol, client(symbol).PayDividend({ exDay, perUnitE8 })),
        topUpFund: (symbol, topUp) => ask(symbol, client(symbol).TopUpFund(topUp)),
        introduceBuilder: (symbol, builder) => ask(symbol, client(symbol).IntroduceBuilder(builder)),
        setTradingState: (symbol, state) => ask(symbol, client(symbol).SetTradingState({ state })),
        splitContract: (symbol, split) => ask(symbol, client(symbol).SplitContract(split)),
        cancelOrders: (symbol) => ask(symbol, client(symbol).CancelOrders()),
        setLimits: (symbol, limits) => ask(symbol, client(symbol).SetLimits(limits)),
        delist: (symbol) => ask(symbol, client(symbol).Delist()),
        alarms: (symbol) => ask(symbol, client(symbol).Alarms()),
        totals: (symbol) => ask(symbol, client(symbol).Totals())
      })
    })
  )
}
