/**
 * The committed logs of all markets as they come to this node: once each, in order, without holes, whoever owns the
 * market. A watch is checked by (epoch, seq) and repaired from the journal; nobody trusts its end or its silence.
 */
import type { Instrument } from "@venue/domain/Instrument"
import { type Level, type MarketEvent, marketStream, type Priced } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Clock, Context, Deferred, Effect, Layer, Result, Stream } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import { MarketClient } from "../clients/MarketClient.ts"
import { Market, type Watched } from "../protocol/Market.ts"
import { type Batch, type LocalMarket, LocalEntities, type Watcher } from "../clients/LocalEntities.ts"
import { VenueSettings } from "../VenueSettings.ts"

export interface Follower {
  /** Traders come before sockets: who is told of an order can read it. */
  readonly rank: "trader" | "socket"
  /** Called for each event that concerns the account, in the order of the log. */
  readonly observe: (event: MarketEvent, batch: Batch) => void
  /** It threw, so it is told nothing more: it no longer knows what is true. */
  readonly broken: () => void
}

export interface Head {
  readonly epoch: number
  readonly seq: number
  /** When the market last proved that its log and its journal are alive. */
  readonly heardAtMillis: number
}

export class Feed extends Context.Service<
  Feed,
  {
    readonly follow: (accountId: string, follower: Follower) => () => void
    /** Every batch, after the followers of its accounts. One that throws is told the next all the same. */
    readonly watch: (watcher: (batch: Batch) => void) => () => void
    readonly head: (symbol: string) => Head | undefined
    /** Latest prices of each market. */
    readonly prices: ReadonlyMap<string, Priced>
    /** Ticks to lots of one side; a live view, unsorted. */
    readonly levels: (symbol: string, side: "BUY" | "SELL") => ReadonlyMap<number, number>
  }
>()("@venue/cluster/feed/Feed") {
  static readonly layer: Layer.Layer<Feed, never, Journal | MarketClient | LocalEntities | Sharding> = Layer.effect(
    Feed,
    Effect.gen(function* () {
      const { instruments } = yield* VenueSettings
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const chains = new Map<string, Chain>()
      const watchers = new Set<(batch: Batch) => void>()
      const prices = new Map<string, Priced>()
      const logs = new Map<string, Log>()

      const followersOf = (accountId: string): Array<Follower> => {
        const found: Array<Follower> = []
        for (let link = chains.get(accountId); link !== undefined; link = link.next) found.push(link.follower)
        return found
      }
      const unfollow = (accountId: string, follower: Follower) => {
        const rest = chainOf(followersOf(accountId).filter((other) => other !== follower))
        if (rest === undefined) chains.delete(accountId)
        else chains.set(accountId, rest)
      }
      const dispatch = (batch: Batch) => {
        const { events } = batch
        let at = 0
        let role = 0
        let isTelling = false
        let told: Chain | undefined
        let next: Chain | undefined
        const rest = () => {
          for (; at < events.length; at++, role = 0) {
            const event = events[at]!
            if (event._tag === "Priced") prices.set(batch.instrument.symbol, event)
            for (let accountId; (accountId = concerned(event, role)) !== undefined; role++) {
              if (!isTelling) next = chains.get(accountId)
              isTelling = true
              while (next !== undefined) {
                told = next
                next = told.next
                told.observe(event, batch)
              }
              isTelling = false
            }
          }
        }
        for (;;) {
          const done = Result.try(rest)
          if (Result.isSuccess(done)) break
          // Neither the others nor the market may suffer from one that has a fault.
          const accountId = concerned(events[at]!, role)!
          const { follower } = told!
          run(Effect.logError(`a ${follower.rank} of account ${accountId} threw at a fact of its market`, done.failure))
          unfollow(accountId, follower)
          follower.broken()
        }
        for (const watcher of watchers) {
          const told = Result.try(() => watcher(batch))
          if (Result.isFailure(told)) {
            run(Effect.logError(`a watcher of ${batch.instrument.symbol} threw at a row of its log`, told.failure))
          }
        }
      }
      for (const instrument of instruments.values()) {
        logs.set(instrument.symbol, yield* makeLog(instrument, dispatch, prices))
      }

      return Feed.of({
        follow: (accountId, follower) => {
          const others = followersOf(accountId)
          chains.set(accountId, chainOf(follower.rank === "trader" ? [follower, ...others] : [...others, follower])!)
          return () => unfollow(accountId, follower)
        },
        watch: (watcher) => {
          watchers.add(watcher)
          return () => watchers.delete(watcher)
        },
        head: (symbol) => logs.get(symbol)?.head(),
        prices,
        levels: (symbol, side) => logs.get(symbol)?.levels[side] ?? new Map()
      })
    })
  )
}

/**
 * The followers of one account, one after the other. A chain is replaced, never changed, so one may leave while it is
 * being told. Every fact walks one that nothing else has touched lately, so it is no list of objects but the objects.
 */
interface Chain extends Pick<Follower, "observe"> {
  readonly follower: Follower
  readonly next: Chain | undefined
}

const chainOf = (followers: ReadonlyArray<Follower>): Chain | undefined =>
  followers.reduceRight<Chain | undefined>(
    (next, follower) => ({ observe: follower.observe, follower, next }),
    undefined
  )

/** The account an event is told to first (0), or second: a trade is its taker's and its maker's. */
function concerned(event: MarketEvent, role: number): string | undefined {
  switch (event._tag) {
    case "Traded":
      return role === 0 ? event.taker.order.accountId : role === 1 ? event.maker.order.accountId : undefined
    case "Accepted":
    case "Ended":
    case "Modified":
      return role === 0 ? event.order.accountId : undefined
    case "Refused":
    case "Done":
      return role === 0 ? event.accountId : undefined
    default:
      return undefined
  }
}

interface Log {
  readonly head: () => Head | undefined
  readonly levels: Record<"BUY" | "SELL", Map<number, number>>
}

/** Rows read back at once. */
const pageSize = 256
/** Batches that may come while the start of a watch is being settled. */
const maxEarly = 4_096

const makeLog = Effect.fnUntraced(function* (
  instrument: Instrument,
  dispatch: (batch: Batch) => void,
  prices: Map<string, Priced>
) {
  const { symbol } = instrument
  const journal = yield* Journal
  const markets = yield* MarketClient
  const localEntities = yield* LocalEntities
  const clock = yield* Clock.Clock
  const client = yield* Market.client
  const levels = { BUY: new Map<number, number>(), SELL: new Map<number, number>() }
  let last: Head | undefined
  /** Told of every row since `last`; one that lives here is looked at instead of sending heartbeats. */
  let attached: LocalMarket | undefined

  const hear = (epoch: number, seq: number) => {
    last = { epoch, seq, heardAtMillis: clock.currentTimeMillisUnsafe() }
  }
  const look = (): Head | undefined => {
    const at = attached?.head()
    if (at !== undefined && at.seq === last!.seq && at.epoch >= last!.epoch) hear(at.epoch, at.seq)
    return last
  }
  const touch = (changed: ReadonlyArray<Level>) => {
    for (const { price, quantity, side } of changed) {
      if (quantity === 0) levels[side].delete(price)
      else levels[side].set(price, quantity)
    }
  }
  /** False at a hole. */
  const advance = (batch: Batch): boolean => {
    if (batch.seq <= last!.seq) return true
    if (batch.seq > last!.seq + 1) return false
    hear(batch.epoch, batch.seq)
    touch(batch.levels)
    dispatch(batch)
    return true
  }
  const decode = (row: Pick<Watched, "epoch" | "seq" | "events">, changed: ReadonlyArray<Level>): Batch => ({
    instrument,
    epoch: row.epoch,
    seq: row.seq,
    events: row.events.length === 0 ? [] : MarketRecord.decode(row.events),
    levels: changed
  })

  const readBack = Effect.fnUntraced(function* (upTo: number) {
    while (last!.seq < upTo) {
      const rows = yield* journal.read(marketStream(symbol), last!.seq, Math.min(pageSize, upTo - last!.seq))
      if (rows.length === 0) return yield* Effect.die(`${marketStream(symbol)} ends before row ${upTo}`)
      for (const row of rows) advance(decode(row, []))
    }
  })

  /** Through the cluster, as long as the market lives elsewhere. */
  const watchThere = (watcher: { readonly batch: (batch: Batch) => void } & Omit<Watcher, "batch">) =>
    client(symbol)
      .Watch()
      .pipe(
        Stream.takeUntil(() => localEntities.markets.has(symbol)),
        Stream.runForEach((row) =>
          Effect.sync(() =>
            row.events.length === 0 ? watcher.head(row.epoch, row.seq) : watcher.batch(decode(row, row.levels))
          )
        ),
        Effect.exit,
        Effect.andThen(Effect.sync(watcher.closed)),
        Effect.forkScoped
      )

  /** One residence of the market, from attaching to its end or to the first hole. */
  const session = Effect.gen(function* () {
    yield* markets.depth(symbol)
    const over = Deferred.makeUnsafe<void>()
    const end = () => Deferred.doneUnsafe(over, Effect.void)
    let early: Array<Batch> | undefined = []
    const watcher = {
      batch: (batch: Batch) => {
        if (early === undefined ? !advance(batch) : early.push(batch) > maxEarly) end()
      },
      head: (epoch: number, seq: number) => {
        if (early !== undefined) return
        if (seq > last!.seq) end()
        else if (epoch >= last!.epoch) hear(Math.max(epoch, last!.epoch), last!.seq)
      },
      closed: end
    }
    const here = localEntities.markets.get(symbol)
    if (here === undefined) yield* watchThere(watcher)
    else
      yield* Effect.acquireRelease(
        Effect.sync(() => here.watch(watcher)),
        (stop) => Effect.sync(stop)
      )

    const depth = yield* markets.depth(symbol)
    if (last === undefined) hear(depth.epoch, depth.seq)
    else yield* readBack(depth.seq)
    levels.BUY.clear()
    levels.SELL.clear()
    touch(depth.levels)
    if (depth.prices !== null) prices.set(symbol, depth.prices)
    const waited = early
    early = undefined
    if (!waited.every(advance)) return
    attached = here
    yield* Effect.ensuring(
      Deferred.await(over),
      Effect.sync(() => {
        attached = undefined
      })
    )
  })

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(
        Effect.exit(
          Effect.tapDefect(Effect.scoped(session), (defect) => Effect.logError(`watching ${symbol}`, defect))
        ),
        Effect.sleep("50 millis")
      )
    )
  )
  return { head: look, levels } satisfies Log as Log
})
