/** One trader at its desk: its ledger, its journal, and the markets it has joined. */
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

export interface Surroundings {
  readonly journal: JournalShape
  readonly feed: Feed["Service"]
  readonly markets: MarketClient["Service"]
  readonly views: Views
  readonly nowMillis: () => number
  /** The journal has another owner for this trader: its memory is discarded. */
  readonly dropped: (trader: Trader) => void
  /** A row of the trader's journal is committed. */
  readonly recorded: (userId: UserId, seq: number) => void
  /** A position, money or a TWAP of the trader is another, or a market of it has become live. */
  readonly moved: (userId: UserId) => void
}

export interface Trader {
  readonly userId: UserId
  readonly ledger: Ledger.Trader
  /** Those it has joined and not left. */
  readonly symbols: () => ReadonlyArray<MarketSymbol>
  /** Joins the market unless it is in it; it is live once `whenLive` says so. */
  readonly join: (symbol: MarketSymbol) => void
  /** False when too much waits already. */
  readonly enter: (request: OrderRequest) => boolean
  /** Whether what was entered has not left for its market, since what came before it may not. */
  readonly waits: (symbol: MarketSymbol, commandId: Id) => boolean
  /** What an order would hold, and what would leave for its market; undefined where there is no such account or symbol. */
  readonly preview: (request: PreviewRequest) => Ledger.Previewed | undefined
  /** A command that the ledger makes leaves for a market that was joined; false when too much waits for that already. */
  readonly send: (symbol: MarketSymbol, make: (traderEpoch: number) => TraderCommand) => boolean
  readonly change: <Tag extends LedgerCommand["_tag"]>(
    command: LedgerCommandOf<Tag>,
    done: (result: Result.Result<void, LedgerRefusal<Tag> | "lost">) => void
  ) => void
  /** Calls back once all that was changed so far is in the journal, or with false when that will not be known. */
  readonly whenRecorded: (then: (isRecorded: boolean) => void) => void
  /** Calls back once every joined market is live, or with false when the trader is gone. Returns how to stop waiting. */
  readonly whenLive: (then: (isLive: boolean) => void) => () => void
  /** Every joined market is live, or the one that is named. */
  readonly isLive: (symbol?: MarketSymbol) => boolean
  /** The tables have its journal up to `seq`. True when a wake-up entry that says otherwise is to go. */
  readonly projected: (seq: number) => boolean
  /** The markets that have recorded a command of a former owner; undefined until all have told what they have recorded. */
  readonly recordedIn: (commandId: string) => ReadonlyArray<MarketSymbol> | undefined
  /** Its journal is committed up to this row. */
  readonly journalSeq: () => number
  /**
   * The rows that all of its memory is of: of its own journal, and of each market that is live. Undefined while something is
   * decided that the journal does not have.
   */
  readonly standing: () =>
    | { readonly seq: number; readonly markets: ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }> }
    | undefined
  readonly watermarks: () => ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }>
  /** Leaves the markets of which nothing was asked since then, as far as nothing of the trader is there. */
  readonly leaveUnused: (sinceMillis: number) => void
  readonly leave: () => void
}

export const make = (owned: TraderLog.Owned, ledger: Ledger.Trader, around: Surroundings): Trader => {
  const { from, userId } = owned
  const { feed, markets, nowMillis } = around
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
    waiters.tell(false)
  }
  const lose = () => {
    leave()
    around.dropped(trader)
  }
  const log = TraderLog.make(owned, around.journal, { recorded: (seq) => around.recorded(userId, seq), lost: lose })
  const record = (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => {
    for (const event of events) Ledger.apply(ledger, event)
    for (const event of events) if (event._tag === "AccountOpened") follows.account(event.accountId)
    JoinedMarket.leave(joined, events)
    log.record(events, done)
  }

  const { send, stopAwaiting, submit } = makeSends(markets, ledger, from.epoch)
  const isSent = (commandId: string) => ledger.inFlight.has(commandId)
  const take = (symbol: MarketSymbol, event: MarketEvent, seq: number) => {
    const market = joined.bySymbol.get(symbol)
    if (market === undefined || !JoinedMarket.event(market, event, seq, nowMillis(), isSent)) return
    Ledger.observe(ledger, symbol, event)
    if (Ledger.moves[event._tag]) around.moved(userId)
  }
  const observe = (event: MarketEvent, { instrument, seq }: Batch) => take(instrument.symbol, event, seq)
  const follows = makeFollows(feed, { rank: "trader", observe, broken: lose })

  const viewer = () => ({ userId, traderEpoch: from.epoch, accountIds: Ledger.accountIds(ledger) })
  const takeView = (market: JoinedMarket.JoinedMarket) => (view: TraderView, seq: number, toldSeq: number) => {
    if (!JoinedMarket.fits(market, seq, toldSeq)) return false
    adopt(ledger, market.symbol, view)
    for (const told of JoinedMarket.goLive(joined, market, { seq, recorded: view.recorded }, nowMillis())) {
      take(market.symbol, told.event, told.seq)
    }
    joins.release()
    if (JoinedMarket.isLive(joined)) waiters.tell(true)
    around.moved(userId)
    return true
  }
  const sync = (market: JoinedMarket.JoinedMarket) =>
    around.views.ask(market.symbol, { viewer, isWanted: () => !isGone, take: takeView(market) })
  const joins = makeJoins(joined, ledger, { follow: follows.market, sync, record, submit, nowMillis })

  for (const accountId of Ledger.accountIds(ledger)) follows.account(accountId)
  for (const symbol of Ledger.symbols(ledger)) joins.known(symbol)

  const trader: Trader = {
    userId,
    ledger,
    ...looks(ledger, joined, log, from.epoch),
    join: (symbol) => {
      if (!isGone) joins.used(symbol)
    },
    enter: (request) => {
      if (isGone) return false
      const answer = JoinedMarket.request(joined, joins.used(request.symbol), request)
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

/** What can be read off the joined markets, and off its own journal. */
const looks = (
  ledger: Ledger.Trader,
  joined: JoinedMarket.JoinedMarkets,
  { committedSeq, isAllCommitted }: TraderLog.TraderLog,
  traderEpoch: number
): Pick<Trader, "symbols" | "preview" | "waits" | "recordedIn" | "journalSeq" | "standing" | "watermarks"> => ({
  preview: (request) => Ledger.preview(ledger, request, traderEpoch),
  symbols: () => [...joined.bySymbol.keys()].filter((symbol) => !Ledger.hasLeft(ledger, symbol)),
  waits: (symbol, commandId) => JoinedMarket.waits(joined, symbol, commandId),
  recordedIn: (commandId) => JoinedMarket.recordedIn(joined, commandId),
  journalSeq: committedSeq,
  standing: () => {
    if (!isAllCommitted()) return undefined
    const live = [...joined.bySymbol.values()].filter(({ state }) => state === "live")
    return {
      seq: committedSeq(),
      markets: live.map((market) => ({ symbol: market.symbol, seq: JoinedMarket.knownTo(market) }))
    }
  },
  watermarks: () => [...joined.bySymbol.values()].map(({ seq, symbol }) => ({ symbol, seq }))
})

/** How a trader comes into its markets: the journal has it before anything of it goes there. */
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
  const comeIn = (market: JoinedMarket.JoinedMarket, then: () => void) =>
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
    /** Its journal names the market already; what the market holds counts, also where the trader has left. */
    known: (symbol: MarketSymbol) => {
      const market = begin(symbol)
      market.isIn = !Ledger.hasLeft(ledger, symbol)
      on.sync(market)
    },
    /** Something is asked of it now. */
    used: (symbol: MarketSymbol): JoinedMarket.JoinedMarket => {
      const found = joined.bySymbol.get(symbol)
      const market = found ?? begin(symbol)
      market.usedMillis = on.nowMillis()
      if (found === undefined) comeIn(market, () => on.sync(market))
      else if (Ledger.hasLeft(ledger, symbol)) comeIn(market, release)
      return market
    },
    release
  }
}

/** Decides the command and hands what came of it to the journal; a refusal too is told once what it rests on is committed. */
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

/** The ledger holds for it and it is on its way; false when too much waits for its market. It is awaited until told otherwise. */
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

/** What is followed in the feed: the events of the accounts, and what concerns every position of a joined market. */
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

/** Whoever waits for every market to be live. */
const makeWaiters = (joined: JoinedMarket.JoinedMarkets, isGone: () => boolean) => {
  const waiters = new Set<(isLive: boolean) => void>()
  return {
    add: (then: (isLive: boolean) => void) => {
      if (isGone() || JoinedMarket.isLive(joined)) then(!isGone())
      else waiters.add(then)
      return () => waiters.delete(then)
    },
    tell: (isLive: boolean) => {
      for (const then of waiters) {
        waiters.delete(then)
        then(isLive)
      }
    }
  }
}
