/** One loaded trader: its ledger, its journal, and the markets that it has joined. */
import type { AccountId } from "@venue/domain/AccountId"
import type { Id } from "@venue/domain/Id"
import type { MarketEvent, TraderCommand } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderRequest } from "@venue/domain/Order"
import type { PreviewRequest } from "@venue/domain/Preview"
import type { LedgerCommand, LedgerCommandOf, LedgerRefusal, TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as Twaps from "@venue/ledger/Twaps"
import type { JournalShape } from "@venue/journal/Journal"
import { Result } from "effect"
import type { Batch } from "../../../feed/Batch.ts"
import type { MarketClient } from "../../../clients/MarketClient.ts"
import type { Feed } from "../../../feed/Feed.ts"
import type { Follower } from "../../../feed/Followers.ts"
import type { TraderView } from "../../../protocol/Market.ts"
import * as JoinedMarket from "../markets/JoinedMarket.ts"
import * as TraderLog from "./TraderLog.ts"
import type { Views } from "../markets/Views.ts"

/** Services and callbacks that a trader uses. */
export interface Dependencies {
  readonly journal: JournalShape
  readonly feed: Feed["Service"]
  readonly markets: MarketClient["Service"]
  readonly views: Views
  readonly nowMillis: () => number
  /** Called when another owner has claimed the trader's journal and this object must be discarded. */
  readonly dropped: (trader: Trader) => void
  /** Called when a row of the trader's journal is committed. */
  readonly recorded: (userId: UserId, seq: number) => void
  /** Called when the trader's position, cash or TWAP has changed, or a joined market has become live. */
  readonly moved: (userId: UserId) => void
}

export interface Trader {
  readonly userId: UserId
  readonly ledger: Ledger.Trader
  /** Returns the markets that the trader has joined and not left. */
  readonly symbols: () => ReadonlyArray<MarketSymbol>
  /** Joins a market if the trader has not joined it yet. `whenLive` reports when the market is live. */
  readonly join: (symbol: MarketSymbol) => void
  /** Sends a request to its market, or queues it until the market is live. Returns false if the queue is full. */
  readonly enter: (request: OrderRequest) => boolean
  /** Whether a command is still queued at the desk. */
  readonly waits: (symbol: MarketSymbol, commandId: Id) => boolean
  /**
   * Returns the margin and the command that would result from an order, or undefined for an unknown account or
   * symbol.
   */
  readonly preview: (request: PreviewRequest) => Ledger.Previewed | undefined
  /** Sends a command from the ledger to a joined market. Returns false if the market's queue is full. */
  readonly send: (symbol: MarketSymbol, make: (traderEpoch: number) => TraderCommand) => boolean
  /** Decides a ledger command. `done` receives the result once it is committed, or "lost" if the outcome is unknown. */
  readonly change: <Tag extends LedgerCommand["_tag"]>(
    command: LedgerCommandOf<Tag>,
    done: (result: Result.Result<void, LedgerRefusal<Tag> | "lost">) => void
  ) => void
  /** Calls back with true once all earlier changes are committed, or with false if the outcome is unknown. */
  readonly whenRecorded: (then: (isRecorded: boolean) => void) => void
  /**
   * Calls back with true once every joined market is live, or with false if the trader is dropped. Returns a function
   * that cancels the callback.
   */
  readonly whenLive: (then: (isLive: boolean) => void) => () => void
  /** Whether the given market, or by default every joined market, is live. */
  readonly isLive: (symbol?: MarketSymbol) => boolean
  /**
   * Records that the tables for queries contain rows up to `seq`. Returns whether to delete the `unprojected` entry.
   */
  readonly projected: (seq: number) => boolean
  /** Returns the markets that recorded a former owner's command, or undefined until all joined markets are live. */
  readonly recordedIn: (commandId: string) => ReadonlyArray<MarketSymbol> | undefined
  /** Returns the sequence number of the journal's newest committed row. */
  readonly journalSeq: () => number
  /** Returns the rows up to which journal and live markets are applied; undefined while a decision is uncommitted. */
  readonly appliedHeads: () =>
    | { readonly seq: number; readonly markets: ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }> }
    | undefined
  /** Returns the newest row with an event for the trader, by market. */
  readonly watermarks: () => ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }>
  /** Leaves markets in which the trader holds only cash and which received no command since `sinceMillis`. */
  readonly leaveUnused: (sinceMillis: number) => void
  /** Ends this object: closes its journal and calls back its waiters. */
  readonly leave: () => void
}

export const make = (owned: TraderLog.Owned, ledger: Ledger.Trader, dependencies: Dependencies): Trader => {
  const { from, userId } = owned
  const { dropped, feed, journal, markets, moved, nowMillis, recorded, views } = dependencies
  const joined = JoinedMarket.empty()
  let isGone = false
  const waiters = makeWaiters(joined, () => isGone)

  const leave = () => {
    if (isGone) return
    isGone = true
    stopAwaiting()
    follows.stop()
    joined.bySymbol.clear()
    log.close()
    waiters.resolve(false)
  }
  const lose = () => {
    leave()
    dropped(trader)
  }
  const log = TraderLog.make(owned, journal, { recorded: (seq) => recorded(userId, seq), lost: lose })
  const record = (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => {
    for (const event of events) Ledger.apply(ledger, event)
    for (const event of events) if (event._tag === "AccountOpened") follows.account(event.accountId)
    JoinedMarket.leave(joined, events)
    log.record(events, done)
  }

  const { send, stopAwaiting, submit } = makeSends(markets, ledger, from.epoch)
  const isSent = (commandId: string) => ledger.inFlight.has(commandId)
  const apply = (symbol: MarketSymbol, event: MarketEvent, seq: number) => {
    const market = joined.bySymbol.get(symbol)
    if (market === undefined || !JoinedMarket.event(market, event, seq, nowMillis(), isSent)) return
    Ledger.observe(ledger, symbol, event)
    if (Ledger.moves[event._tag]) moved(userId)
  }
  const observe = (event: MarketEvent, { instrument, seq }: Batch) => apply(instrument.symbol, event, seq)
  const follows = makeFollows(feed, { rank: "trader", observe, broken: lose })

  const viewer = () => ({ userId, traderEpoch: from.epoch, accountIds: Ledger.accountIds(ledger) })
  const takeView = (market: JoinedMarket.JoinedMarket) => (view: TraderView, seq: number, feedSeq: number) => {
    if (!JoinedMarket.fits(market, seq, feedSeq)) return false
    adopt(ledger, market.symbol, view)
    for (const missed of JoinedMarket.goLive(joined, market, { seq, recorded: view.recorded }, nowMillis())) {
      apply(market.symbol, missed.event, missed.seq)
    }
    joins.release()
    if (JoinedMarket.isLive(joined)) waiters.resolve(true)
    moved(userId)
    return true
  }
  const sync = (market: JoinedMarket.JoinedMarket) =>
    views.request(market.symbol, { viewer, isWanted: () => !isGone, take: takeView(market) })
  const joins = makeJoins(joined, ledger, { follow: follows.market, sync, record, submit, nowMillis })

  for (const accountId of Ledger.accountIds(ledger)) follows.account(accountId)
  for (const symbol of Ledger.symbols(ledger)) joins.restore(symbol)

  const trader: Trader = {
    userId,
    ledger,
    ...reads(ledger, joined, log, from.epoch),
    join: (symbol) => {
      if (!isGone) joins.use(symbol)
    },
    enter: (request) => {
      if (isGone) return false
      const answer = JoinedMarket.request(joined, joins.use(request.symbol), request)
      return answer === "submit" ? submit(request) : answer !== "full"
    },
    change: (command, done) =>
      isGone ? done(Result.fail("lost")) : change(ledger, command, nowMillis(), record, done),
    send: (symbol, make) => !isGone && send(symbol, make),
    projected: log.projected,
    whenRecorded: (then) => (isGone ? then(false) : log.record([], then)),
    whenLive: waiters.add,
    isLive: (symbol) => !isGone && JoinedMarket.isLive(joined, symbol),
    leaveUnused: (sinceMillis) => {
      const symbols = JoinedMarket.unused(joined, sinceMillis)
      if (symbols.length > 0) trader.change({ _tag: "LeaveMarkets", symbols }, () => {})
    },
    leave
  }
  return trader
}

const reads = (
  ledger: Ledger.Trader,
  joined: JoinedMarket.JoinedMarkets,
  { committedSeq, isAllCommitted }: TraderLog.TraderLog,
  traderEpoch: number
): Pick<Trader, "symbols" | "preview" | "waits" | "recordedIn" | "journalSeq" | "appliedHeads" | "watermarks"> => ({
  preview: (request) => Ledger.preview(ledger, request, traderEpoch),
  symbols: () => [...joined.bySymbol.keys()].filter((symbol) => !Ledger.hasLeft(ledger, symbol)),
  waits: (symbol, commandId) => JoinedMarket.waits(joined, symbol, commandId),
  recordedIn: (commandId) => JoinedMarket.recordedIn(joined, commandId),
  journalSeq: committedSeq,
  appliedHeads: () => {
    if (!isAllCommitted()) return undefined
    const live = [...joined.bySymbol.values()].filter(({ state }) => state === "live")
    return {
      seq: committedSeq(),
      markets: live.map((market) => ({ symbol: market.symbol, seq: JoinedMarket.appliedSeq(market) }))
    }
  },
  watermarks: () => [...joined.bySymbol.values()].map(({ seq, symbol }) => ({ symbol, seq }))
})

/** Joins markets. The journal records a join before the first command goes to the market. */
const makeJoins = (
  joined: JoinedMarket.JoinedMarkets,
  ledger: Ledger.Trader,
  on: {
    readonly follow: (symbol: MarketSymbol) => void
    readonly sync: (market: JoinedMarket.JoinedMarket) => void
    readonly record: (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => void
    readonly submit: (request: OrderRequest) => void
    readonly nowMillis: () => number
  }
) => {
  const recordJoin = (market: JoinedMarket.JoinedMarket, then: () => void) =>
    on.record([{ _tag: "Joined", symbol: market.symbol }], (committed) => {
      if (!committed) return
      market.isIn = true
      then()
    })
  const release = () => {
    for (const request of JoinedMarket.released(joined)) on.submit(request)
  }
  const begin = (symbol: MarketSymbol) => {
    const market = JoinedMarket.join(joined, symbol, Ledger.joined(ledger, symbol))
    market.usedMillis = on.nowMillis()
    on.follow(symbol)
    return market
  }
  return {
    /** Restores a join from the journal. Syncs even a market that was left, because it might hold the trader's cash. */
    restore: (symbol: MarketSymbol) => {
      const market = begin(symbol)
      market.isIn = !Ledger.hasLeft(ledger, symbol)
      on.sync(market)
    },
    /** Joins the market if needed, and records the time of use. */
    use: (symbol: MarketSymbol): JoinedMarket.JoinedMarket => {
      const existing = joined.bySymbol.get(symbol)
      const market = existing ?? begin(symbol)
      market.usedMillis = on.nowMillis()
      if (existing === undefined) recordJoin(market, () => on.sync(market))
      else if (Ledger.hasLeft(ledger, symbol)) recordJoin(market, release)
      return market
    },
    release
  }
}

/** Decides a command and records its events. Even a refusal is returned only once the state behind it is committed. */
const change = <Tag extends LedgerCommand["_tag"]>(
  ledger: Ledger.Trader,
  command: LedgerCommandOf<Tag>,
  nowMillis: number,
  record: (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => void,
  done: (result: Result.Result<void, LedgerRefusal<Tag> | "lost">) => void
): void => {
  const decided = Ledger.decide(ledger, command, nowMillis)
  const events = Result.isSuccess(decided) ? decided.success : []
  record(events, (committed) => done(committed ? Result.map(decided, () => undefined) : Result.fail("lost")))
}

/** Sends commands to markets. If the market's queue is full, releases the held margin and returns false. */
const makeSends = (markets: MarketClient["Service"], ledger: Ledger.Trader, traderEpoch: number) => {
  const send: Trader["send"] = (symbol, make) => {
    const command = make(traderEpoch)
    if (markets.submit(symbol, command)) return true
    Ledger.release(ledger, symbol, command.commandId)
    return false
  }
  const submit = (request: OrderRequest) => send(request.symbol, () => Ledger.enter(ledger, request, traderEpoch))
  return { send, submit, stopAwaiting: markets.enter(ledger.userId, traderEpoch) }
}

const adopt = (ledger: Ledger.Trader, symbol: MarketSymbol, { accounts }: TraderView): void => {
  for (const { accountId, attachedStops = [], isFrozen, orders, position, stops, twaps } of accounts) {
    Ledger.adopt(ledger, symbol, accountId, { position: { ...position }, isFrozen, orders, stops, attachedStops })
    Twaps.adopt(ledger, symbol, accountId, twaps)
  }
}

/** Follows the events of the trader's accounts, and the events in joined markets that concern every position. */
const makeFollows = (feed: Feed["Service"], follower: Follower) => {
  const stops = new Map<AccountId | MarketSymbol, () => void>()
  const start = (followed: AccountId | MarketSymbol, follow: () => () => void) => {
    stops.get(followed)?.()
    stops.set(followed, follow())
  }
  return {
    account: (accountId: AccountId) => start(accountId, () => feed.follow(accountId, follower)),
    market: (symbol: MarketSymbol) => start(symbol, () => feed.followMarket(symbol, follower)),
    stop: () => {
      for (const stop of stops.values()) stop()
      stops.clear()
    }
  }
}

/** Callers that wait until every joined market is live. */
const makeWaiters = (joined: JoinedMarket.JoinedMarkets, isGone: () => boolean) => {
  const waiters = new Set<(isLive: boolean) => void>()
  return {
    add: (then: (isLive: boolean) => void) => {
      if (isGone() || JoinedMarket.isLive(joined)) then(!isGone())
      else waiters.add(then)
      return () => waiters.delete(then)
    },
    resolve: (isLive: boolean) => {
      for (const then of waiters) {
        waiters.delete(then)
        then(isLive)
      }
    }
  }
}
