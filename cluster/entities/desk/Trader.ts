/** One trader at its desk: its ledger, its journal, and the markets it has joined. */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketEvent, TraderCommand } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderRequest } from "@venue/domain/Order"
import type { LedgerCommand, LedgerCommandOf, LedgerRefusal, TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as Twaps from "@venue/ledger/Twaps"
import type { Claimed, JournalShape } from "@venue/journal/Journal"
import { Effect, Result, Schedule } from "effect"
import type { Batch } from "../../clients/LocalEntities.ts"
import type { MarketClient } from "../../clients/MarketClient.ts"
import type { Feed } from "../../feed/Feed.ts"
import type { Follower } from "../../feed/Followers.ts"
import type { AccountView, Unavailable } from "../../protocol/Market.ts"
import * as JoinedMarket from "./JoinedMarket.ts"
import * as TraderLog from "./TraderLog.ts"

export interface Surroundings {
  readonly journal: JournalShape
  readonly feed: Feed["Service"]
  readonly markets: MarketClient["Service"]
  readonly run: (effect: Effect.Effect<void>) => void
  readonly nowMillis: () => number
  /** The journal has another owner for this trader: its memory is discarded. */
  readonly dropped: (trader: Trader) => void
  /** A row of the trader's journal is committed. */
  readonly recorded: (userId: UserId) => void
  /** A position, money or a TWAP of the trader is another, or a market of it has become live. */
  readonly moved: (userId: UserId) => void
}

export interface Trader {
  readonly userId: UserId
  readonly ledger: Ledger.Trader
  readonly symbols: () => ReadonlyArray<MarketSymbol>
  /** Joins the market unless it has been joined; it is live once `whenLive` says so. */
  readonly join: (symbol: MarketSymbol) => void
  /** False when too much waits already. */
  readonly enter: (request: OrderRequest) => boolean
  /** A command that the ledger makes leaves for a market that was joined; false when too much waits for that already. */
  readonly send: (symbol: MarketSymbol, make: (traderEpoch: number) => TraderCommand) => boolean
  readonly change: <Tag extends LedgerCommand["_tag"]>(
    command: LedgerCommandOf<Tag>,
    done: (result: Result.Result<void, LedgerRefusal<Tag> | "lost">) => void
  ) => void
  /** Calls back once every joined market is live, or with false when the trader is gone. Returns how to stop waiting. */
  readonly whenLive: (then: (isLive: boolean) => void) => () => void
  /** Every joined market is live, or the one that is named. */
  readonly isLive: (symbol?: MarketSymbol) => boolean
  readonly watermarks: () => ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }>
  readonly leave: () => void
}

export const make = (userId: UserId, ledger: Ledger.Trader, from: Claimed, around: Surroundings): Trader => {
  const { feed, markets, nowMillis } = around
  const joined = JoinedMarket.empty()
  const { bySymbol } = joined
  const waiters = makeWaiters(joined, () => isGone)
  let isGone = false

  const leave = () => {
    if (isGone) return
    isGone = true
    follows.stop()
    bySymbol.clear()
    log.close()
    waiters.tell(false)
  }
  const lose = () => {
    leave()
    around.dropped(trader)
  }
  const log = TraderLog.make(userId, from, around.journal, { recorded: () => around.recorded(userId), lost: lose })
  const record = (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => {
    for (const event of events) Ledger.apply(ledger, event)
    for (const event of events) if (event._tag === "AccountOpened") follows.account(event.accountId)
    log.record(events, done)
  }

  const { send, submit } = makeSends(markets, ledger, from.epoch)
  const isSent = (commandId: string) => ledger.inFlight.has(commandId)
  const take = (symbol: MarketSymbol, event: MarketEvent, seq: number) => {
    const market = bySymbol.get(symbol)
    if (market === undefined || !JoinedMarket.event(market, event, seq, nowMillis(), isSent)) return
    Ledger.observe(ledger, symbol, event)
    if (Ledger.moves[event._tag]) around.moved(userId)
  }
  const observe = (event: MarketEvent, { instrument, seq }: Batch) => take(instrument.symbol, event, seq)
  const follows = makeFollows(feed, { rank: "trader", observe, broken: lose })

  const takeView = (market: JoinedMarket.JoinedMarket, view: AccountView) => {
    adopt(ledger, market.symbol, view)
    for (const { event, seq } of JoinedMarket.goLive(joined, market, view, nowMillis())) {
      take(market.symbol, event, seq)
    }
    for (const request of JoinedMarket.released(joined)) submit(request)
    if (JoinedMarket.isLive(joined)) waiters.tell(true)
    around.moved(userId)
  }
  const join = (symbol: MarketSymbol): JoinedMarket.JoinedMarket => {
    const market = JoinedMarket.join(joined, symbol, Ledger.joined(ledger, symbol))
    follows.market(symbol)
    const view = Effect.suspend(() => markets.view(symbol, userId, from.epoch, Ledger.accountIds(ledger)))
    const sync = () => around.run(synced(feed, market, userId, () => !isGone, view, takeView))
    if (market.wasJoined) sync()
    else record([{ _tag: "Joined", symbol }], (committed) => (committed ? sync() : undefined))
    return market
  }

  for (const accountId of Ledger.accountIds(ledger)) follows.account(accountId)
  for (const symbol of Ledger.symbols(ledger)) join(symbol)

  const trader: Trader = {
    userId,
    ledger,
    ...looks(joined),
    join: (symbol) => {
      if (!isGone && !bySymbol.has(symbol)) join(symbol)
    },
    enter: (request) => {
      if (isGone) return false
      const answer = JoinedMarket.request(joined, bySymbol.get(request.symbol) ?? join(request.symbol), request)
      return answer === "submit" ? submit(request) : answer !== "full"
    },
    change: (command, done) =>
      isGone ? done(Result.fail("lost")) : change(ledger, command, nowMillis(), record, done),
    send: (symbol, make) => !isGone && send(symbol, make),
    whenLive: waiters.add,
    isLive: (symbol) => !isGone && JoinedMarket.isLive(joined, symbol),
    leave
  }
  return trader
}

/** What can be read off the joined markets. */
const looks = ({ bySymbol }: JoinedMarket.JoinedMarkets): Pick<Trader, "symbols" | "watermarks"> => ({
  symbols: () => [...bySymbol.keys()],
  watermarks: () => [...bySymbol.values()].map(({ seq, symbol }) => ({ symbol, seq }))
})

/** Decides the command and hands what came of it to the journal. */
const change = <Tag extends LedgerCommand["_tag"]>(
  ledger: Ledger.Trader,
  command: LedgerCommandOf<Tag>,
  nowMillis: number,
  record: (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => void,
  done: (result: Result.Result<void, LedgerRefusal<Tag> | "lost">) => void
): void => {
  const decided = Ledger.decide(ledger, command, nowMillis)
  if (Result.isFailure(decided)) return done(Result.fail(decided.failure))
  record(decided.success, (committed) => done(committed ? Result.succeed(undefined) : Result.fail("lost")))
}

/** The ledger holds for it and it is on its way; false when too much waits for its market. */
const makeSends = (markets: MarketClient["Service"], ledger: Ledger.Trader, traderEpoch: number) => {
  const send: Trader["send"] = (symbol, make) => {
    const command = make(traderEpoch)
    if (markets.submit(symbol, command)) return true
    Ledger.release(ledger, symbol, command.commandId)
    return false
  }
  const submit = (request: OrderRequest) => send(request.symbol, () => Ledger.enter(ledger, request, traderEpoch))
  return { send, submit }
}

const adopt = (ledger: Ledger.Trader, symbol: MarketSymbol, { accounts }: AccountView): void => {
  for (const { accountId, isFrozen, orders, position, stops, twaps } of accounts) {
    Ledger.adopt(ledger, symbol, accountId, { position: { ...position }, isFrozen, orders, stops })
    Twaps.adopt(ledger, symbol, accountId, twaps)
  }
}

/** Asks until the market answers with a view that is not behind what this node has already been told. */
const synced = (
  feed: Feed["Service"],
  market: JoinedMarket.JoinedMarket,
  userId: UserId,
  isWanted: () => boolean,
  view: Effect.Effect<AccountView, Unavailable>,
  take: (market: JoinedMarket.JoinedMarket, view: AccountView) => void
): Effect.Effect<void> => {
  const { symbol } = market
  const attempt = Effect.suspend(() => {
    if (!isWanted()) return Effect.succeed(true)
    // A feed begins at some row: what came between an older view and that row would be told by neither.
    const toldSeq = feed.head(symbol)?.seq
    if (toldSeq === undefined) return Effect.succeed(false)
    return Effect.match(view, {
      onFailure: () => false,
      onSuccess: (found) => {
        if (!isWanted()) return true
        if (!JoinedMarket.fits(market, found.seq, toldSeq)) return false
        take(market, found)
        return true
      }
    })
  })
  return Effect.repeat(attempt, { schedule: Schedule.spaced("100 millis"), until: (isDone) => isDone }).pipe(
    Effect.asVoid,
    // It does not go live: what the market says and what is known here contradict each other.
    Effect.tapDefect((defect) => Effect.logError(`user ${userId} cannot take what ${symbol} says`, defect))
  )
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
