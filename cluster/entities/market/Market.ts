/** One market: its log, its clock, those who watch it, and the tables written from it. */
import type { MarketCommand, MarketEvent } from "@venue/domain/Market"
import { quarterMillis } from "@venue/domain/MarketHours"
import * as Engine from "@venue/matching/Engine"
import { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Cause, Clock, Effect, type Layer, Queue, Stream } from "effect"
import { Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import * as Beat from "../../protocol/Beat.ts"
import { type AccountView, type DepthAt, Market, Unavailable, type Watched } from "../../protocol/Market.ts"
import { LocalEntities, type Watcher } from "../../clients/LocalEntities.ts"
import * as SimulatedSerialization from "../../clients/SimulatedSerialization.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as MarketLog from "./MarketLog.ts"
import * as Projection from "./Projection.ts"

export const MarketLayer: Layer.Layer<never, never, Sharding.Sharding | Journal | ReadTables | LocalEntities> =
  Market.toLayer(
    Effect.gen(function* () {
      const { entityId: symbol, shardId } = yield* Entity.CurrentAddress
      const sharding = yield* Sharding.Sharding
      const localEntities = yield* LocalEntities
      const journal = yield* Journal
      const clock = yield* Clock.Clock
      const { instruments } = yield* VenueSettings
      const instrument = instruments.get(symbol)
      if (instrument === undefined) return yield* Effect.die(`no instrument ${symbol}`)

      const watchers = new Set<Watcher>()
      /** Watchers on other nodes. */
      let streams = 0
      const tick = Effect.sync(() => {
        log.submit([{ _tag: "Tick" }], (committed) => {
          if (!committed) asTimePasses.start()
        })
        return !log.isAtRest()
      })
      const afterMoves = yield* Beat.make(movedTickMillis, Effect.as(tick, false))
      const asTimePasses = yield* Beat.make(quietTickMillis, tick)
      const heartbeats = yield* Beat.make(
        heartbeatMillis,
        Effect.sync(() => {
          const at = head()
          if (at !== undefined) for (const watcher of watchers) watcher.head(at.epoch, at.seq)
          return streams > 0 || at === undefined
        })
      )
      const projection = yield* Projection.make(symbol)
      const log = yield* MarketLog.make(
        instrument,
        Effect.sync(() => sharding.hasShardId(shardId)),
        (committed) => {
          if (committed.levels.length > 0) afterMoves.start()
          if (committed.levels.length > 0 || committed.events.some(isPriced)) asTimePasses.start()
          projection.committed(committed)
          for (const watcher of watchers) watcher.batch(committed)
        },
        () => {
          asTimePasses.start()
          // Those who watch here learn by it that rows were recorded of which they were not told.
          heartbeats.start()
        },
        () => leave()
      ).pipe(Effect.orDie)

      const head = () => {
        const silentMillis = clock.currentTimeMillisUnsafe() - journal.lastRoundTripMillis()
        return log.serving() && silentMillis <= quietTickMillis ? log.head() : undefined
      }
      const watch = (watcher: Watcher) => {
        watchers.add(watcher)
        const { epoch, seq } = log.head()
        watcher.head(epoch, seq)
        return () => {
          watchers.delete(watcher)
        }
      }
      const view = (userId: string, traderEpoch: number, accountIds: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          let isRaised = true
          log.submit([{ _tag: "RaiseEpoch", userId, traderEpoch }], (committed) => {
            isRaised = committed
          })
          // Said at once when the row is full: a view without the raise would let the last owner's commands in after it.
          if (!isRaised) return Effect.fail(new Unavailable({ what: `market ${symbol}` }))
          return Effect.map(
            log.asOf((engine) => ({
              accounts: accountIds.map((accountId) => ({ accountId, ...Engine.view(engine, accountId) })),
              recorded: Engine.outcomes(engine, userId).map(({ commandId }) => commandId.text)
            })),
            ({ epoch, seq, value }): AccountView => ({ epoch, seq, ...value })
          )
        })
      const depth = Effect.map(
        log.asOf((engine) => ({ levels: Engine.depth(engine), prices: Engine.prices(engine) ?? null })),
        ({ epoch, seq, value }): DepthAt => ({ epoch, seq, ...value })
      )
      const submitted = (commands: ReadonlyArray<MarketCommand>) =>
        Effect.callback<void, Unavailable>((resume) =>
          log.submit(commands, (committed) =>
            resume(committed ? Effect.void : Effect.fail(new Unavailable({ what: `market ${symbol}` })))
          )
        )

      const local = yield* SimulatedSerialization.market({ submit: log.submit, head, watch, view, depth })
      localEntities.markets.set(symbol, local)
      const leave = () => {
        if (localEntities.markets.get(symbol) === local) localEntities.markets.delete(symbol)
        for (const watcher of watchers) watcher.closed()
        watchers.clear()
      }
      yield* Effect.addFinalizer(() => Effect.sync(leave))

      asTimePasses.start()
      const nextQuarter = Effect.suspend(() =>
        Effect.sleep(quarterMillis - (clock.currentTimeMillisUnsafe() % quarterMillis))
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(nextQuarter, tick)))

      return Market.of({
        Submit: ({ payload }) => submitted(payload.commands).pipe(Rpc.fork),
        Watch: () =>
          Rpc.fork(
            Stream.unwrap(
              Effect.gen(function* () {
                const rows = yield* Queue.dropping<Watched, Unavailable>(maxBehind)
                const offer = (row: Watched) => {
                  if (!Queue.offerUnsafe(rows, row)) closed()
                }
                const closed = () => {
                  Queue.failCauseUnsafe(rows, Cause.fail(new Unavailable({ what: `market ${symbol}` })))
                }
                yield* Effect.acquireRelease(
                  Effect.sync(() => {
                    streams++
                    heartbeats.start()
                    return watch({
                      batch: ({ epoch, levels, row, seq }) => offer({ epoch, seq, events: row, levels }),
                      head: (epoch, seq) => offer({ epoch, seq, events: noEvents, levels: [] }),
                      closed
                    })
                  }),
                  (stop) =>
                    Effect.sync(() => {
                      streams--
                      stop()
                    })
                )
                return Stream.fromQueue(rows)
              })
            )
          ),
        View: ({ payload }) => view(payload.userId, payload.traderEpoch, payload.accountIds).pipe(Rpc.fork),
        Depth: () => Rpc.fork(depth),
        Totals: () =>
          Rpc.fork(
            Effect.map(log.asOf(Engine.totals), ({ epoch, seq, value: { cash, positions } }) => ({
              epoch,
              seq,
              positions,
              cash
            }))
          ),
        Observe: ({ payload }) => submitted([{ _tag: "Observe", price: payload.price }]).pipe(Rpc.fork)
      })
    }),
    { maxIdleTime: "365 days" }
  )

/** After the book moved, the mark and the bands are brought up to date within this. */
const movedTickMillis = 100
/** While they move by themselves, they are brought up to date this often; at rest they wait for the next quarter hour. */
const quietTickMillis = 1_000
/** Watchers on other nodes are told where the log stands this often; those here look for themselves. */
const heartbeatMillis = 1_000
/** Rows that may wait for one watcher; it then starts again from the journal. */
const maxBehind = 1_024
const noEvents = new Uint8Array(0)
const isPriced = ({ _tag }: MarketEvent): boolean => _tag === "Priced"
