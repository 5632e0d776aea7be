/** Market entity: the market's log, clock, takeovers, watchers and tables for queries. */
import type { MarketAlarm } from "@venue/domain/Alarm"
import type { MarketCommand } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { SplitContract } from "@venue/domain/Split"
import * as Engine from "@venue/matching/Engine"
import type { Journal } from "@venue/journal/Journal"
import * as Projections from "@venue/storage/history/Projections"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Effect, type Layer, Schedule } from "effect"
import { Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import {
  type DepthAt,
  Market,
  type TraderView,
  type TraderViews,
  Unavailable,
  type Viewer
} from "../../protocol/Market.ts"
import { Interception, LocalEntities, type LocalMarket } from "../../clients/LocalEntities.ts"
import { NodeLinks } from "../../clients/NodeLinks.ts"
import * as Places from "../../clients/Places.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as MarketClock from "./MarketClock.ts"
import * as MarketLog from "./MarketLog.ts"
import * as MarketMetrics from "./MarketMetrics.ts"
import * as MarketWatchers from "./MarketWatchers.ts"
import * as Previews from "./Previews.ts"
import * as PriceAlarms from "./PriceAlarms.ts"
import * as Projection from "./Projection.ts"
import * as Takeovers from "./Takeovers.ts"

export const MarketLayer: Layer.Layer<never, never, Sharding.Sharding | Journal | ReadTables | LocalEntities> =
  Market.toLayer(
    Effect.gen(function* () {
      const { entityId, shardId } = yield* Entity.CurrentAddress
      const symbol = MarketSymbol.make(Places.idOf(entityId))
      const sharding = yield* Sharding.Sharding
      const links = yield* NodeLinks
      const localEntities = yield* LocalEntities
      const instrument = yield* listed(symbol)

      const run = Effect.runForkWith(yield* Effect.context<never>())
      const scope = yield* Effect.scope
      const alarms = PriceAlarms.make(symbol, (entry) => void run(Effect.forkIn(entry, scope)))
      const log = yield* Effect.orDie(
        MarketLog.make(
          instrument,
          Effect.sync(() => sharding.hasShardId(shardId))
        )
      )
      const takeovers = yield* Takeovers.make(log)
      const projection = yield* Projection.make(symbol, Projections.ofMarket(instrument))
      const claimed = () => projection.claimed(log.head().seq)
      log.observe({ committed: projection.committed, reclaimed: claimed })
      claimed()
      const watchers = yield* MarketWatchers.make(symbol, log)
      log.observe({ committed: ({ events }) => alarms(events) })
      yield* MarketMetrics.make(instrument, log)

      const { head, stream, watch } = watchers
      const view = viewOf(symbol, log)
      const depth = depthOf(log)
      const preview = yield* Previews.make(symbol, log)
      const submitted = submittedTo(symbol, log)

      const local = (yield* Interception).market({
        submit: log.submit,
        head,
        watch,
        stream,
        view,
        depth,
        preview
      })
      localEntities.markets.set(symbol, local)
      const leave = () => {
        if (localEntities.markets.get(symbol) === local) localEntities.markets.delete(symbol)
        watchers.leave()
      }
      log.observe({ ended: leave })
      // The clock starts last, because every observer must be registered before the market decides anything.
      yield* MarketClock.start(log)
      yield* Effect.addFinalizer(() => Effect.sync(leave))

      return Market.of({
        Submit: ({ payload }) => submitted(payload.commands).pipe(Rpc.fork),
        Watch: () => Rpc.fork(stream),
        Stand: ({ payload }) => Rpc.fork(Effect.sync(() => takeovers.stand(payload.stands))),
        ...reads({ view, depth, preview }, log, projection, links?.self),
        PayDividend: ({ payload }) => submitted([{ _tag: "PayDividend", ...payload }]).pipe(Rpc.fork),
        TopUpFund: ({ payload }) =>
          Effect.andThen(
            submitted([{ _tag: "TopUpFund", ...payload }]),
            Effect.map(
              log.asOf((engine) => Engine.topUp(engine, payload.topUpId) ?? null),
              ({ value }) => value
            )
          ).pipe(Rpc.fork),
        SplitContract: ({ payload }) => splitBy(submitted, log)(payload).pipe(Rpc.fork),
        CancelOrders: () =>
          Effect.andThen(
            submitted([{ _tag: "CancelOrders" }]),
            Effect.map(
              log.asOf((engine) => !Engine.hasOrders(engine)),
              ({ value: isDone }) => ({ isDone })
            )
          ).pipe(Rpc.fork),
        SetLimits: ({ payload }) => submitted([{ _tag: "SetLimits", ...payload }]).pipe(Rpc.fork),
        Delist: () => submitted([{ _tag: "Delist" }]).pipe(Rpc.fork),
        SetTradingState: ({ payload }) => submitted([{ _tag: "SetTradingState", state: payload.state }]).pipe(Rpc.fork),
        IntroduceBuilder: ({ payload }) => submitted([{ _tag: "IntroduceBuilder", ...payload }]).pipe(Rpc.fork),
        Observe: ({ payload }) => submitted([{ _tag: "Observe", ...payload }]).pipe(Rpc.fork),
        PauseSources: ({ payload }) => submitted([{ _tag: "PauseSources", ...payload }]).pipe(Rpc.fork)
      })
    }),
    { maxIdleTime: "365 days" }
  )

/** Returns a listed contract. Waits up to 5 s, because another node might have added the contract a second earlier. */
const listed = Effect.fnUntraced(function* (symbol: MarketSymbol) {
  const { instruments } = yield* VenueSettings
  yield* Effect.repeat(Effect.void, {
    until: () => instruments.has(symbol),
    schedule: Schedule.spaced("50 millis"),
    times: 100
  })
  return instruments.get(symbol) ?? (yield* Effect.die(`symbol ${symbol} is not listed`))
})

type Handlers = Parameters<typeof Market.of>[0]

const reads = (
  { depth, preview, view }: Pick<LocalMarket, "depth" | "preview" | "view">,
  log: MarketLog.MarketLog,
  projection: Projection.Projection,
  node: string | undefined
): Pick<Handlers, "View" | "Preview" | "Depth" | "CatchUp" | "Alarms" | "Totals"> => ({
  View: ({ payload }) => view(payload.traders).pipe(Rpc.fork),
  Preview: ({ payload }) => preview(payload.command).pipe(Rpc.fork),
  Depth: () => Rpc.fork(Effect.map(depth, (at) => (node === undefined ? at : { ...at, node }))),
  CatchUp: ({ payload }) => Rpc.fork(Effect.sync(() => projection.wanted(payload.seq))),
  Alarms: () => Rpc.fork(alarmsOf(log)),
  Totals: () => Rpc.fork(totalsOf(log))
})

/** Raises the traders' epochs before reading the view, so that an earlier owner's commands cannot follow the view. */
const viewOf =
  (symbol: MarketSymbol, log: MarketLog.MarketLog): LocalMarket["view"] =>
  (traders) =>
    Effect.suspend(() => {
      let isRaised = true
      log.submit(
        traders.map(({ traderEpoch, userId }) => ({ _tag: "RaiseEpoch", userId, traderEpoch })),
        (committed) => {
          isRaised = committed
        }
      )
      // The log calls back false immediately if the row is full. The epoch is then not raised, and an earlier owner's
      // commands could follow the view.
      if (!isRaised) return Effect.fail(new Unavailable({ what: `market ${symbol}` }))
      return Effect.map(
        log.asOf((engine) => viewsOf(engine, traders)),
        ({ epoch, seq, value }): TraderViews => ({ epoch, seq, traders: value })
      )
    })

/** Returns at least one view, and further views until they contain `maxViewOrders` orders in total. */
const viewsOf = (engine: Engine.Engine, traders: ReadonlyArray<Viewer>): ReadonlyArray<TraderView> => {
  const views: Array<TraderView> = []
  let orders = 0
  for (const { accountIds, userId } of traders) {
    if (orders >= maxViewOrders) break
    const accounts = accountIds.map((accountId) => ({ accountId, ...Engine.view(engine, accountId) }))
    for (const account of accounts) orders += account.orders.length + account.stops.length
    views.push({ accounts, recorded: Engine.outcomes(engine, userId).map(({ commandId }) => commandId.text) })
  }
  return views
}

const depthOf = (log: MarketLog.MarketLog) =>
  Effect.map(
    log.asOf((engine) => ({
      levels: Engine.depth(engine),
      tradingState: Engine.tradingState(engine),
      lastDividendDay: Engine.lastDividendDay(engine),
      limits: Engine.limits(engine),
      lastSplitDay: Engine.lastSplitDay(engine),
      prices: Engine.prices(engine) ?? null,
      lastSplitMillis: engine.lastSplitMillis,
      sampling: engine.sampling,
      takeovers: Engine.takeovers(engine).map(({ quantityLots, takeoverId }) => ({
        takeoverId: takeoverId.text,
        quantityLots
      }))
    })),
    ({ epoch, seq, value }): DepthAt => ({ epoch, seq, ...value })
  )

/** Returns the engine's alarms, preceded by an alarm for this node's fault mode while it is active. */
const alarmsOf = (log: MarketLog.MarketLog) =>
  Effect.map(log.asOf(Engine.alarms), ({ value }): ReadonlyArray<MarketAlarm> => {
    const sinceMillis = log.faultSinceMillis()
    return sinceMillis === undefined ? value : [{ kind: "FAULT", sinceMillis }, ...value]
  })

const totalsOf = (log: MarketLog.MarketLog) =>
  Effect.map(log.asOf(Engine.totals), ({ epoch, seq, value: { cash, positions, reserveFund, toppedUp } }) => ({
    epoch,
    seq,
    positions,
    cash,
    reserveFund,
    toppedUp
  }))

/** Splits the contract and returns the progress. A repeated call continues where the previous one stopped. */
const splitBy =
  (submitted: ReturnType<typeof submittedTo>, log: MarketLog.MarketLog) => (split: Omit<SplitContract, "_tag">) =>
    Effect.andThen(
      submitted([{ _tag: "SplitContract", ...split }]),
      Effect.map(
        log.asOf((engine) => ({
          isDone: Engine.lastSplitDay(engine) >= split.exDay,
          missing: Engine.splitMissing(engine, split) ?? null
        })),
        ({ value }) => value
      )
    )

const submittedTo = (symbol: MarketSymbol, log: MarketLog.MarketLog) => (commands: ReadonlyArray<MarketCommand>) =>
  Effect.callback<void, Unavailable>((resume) =>
    log.submit(commands, (committed) =>
      resume(committed ? Effect.void : Effect.fail(new Unavailable({ what: `market ${symbol}` })))
    )
  )

/** Number of open orders above which a response includes no further views. */
const maxViewOrders = 10_000
