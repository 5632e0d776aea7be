/**
 * The accounts of a desk whose equity has come down to their maintenance margin (rule 9): what is done about each, at once
 * and then every second until its equity is higher. Nothing of it is stored, since whoever holds the trader finds it again.
 */
import { type Account, isFrozen, refresh } from "@venue/ledger/Account"
import { isInLiquidation } from "@venue/ledger/Liquidation"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Clock, Effect, Result, type Scope } from "effect"
import type { Batch } from "../../../feed/Batch.ts"
import type { MarketClient } from "../../../clients/MarketClient.ts"
import { Feed } from "../../../feed/Feed.ts"
import * as Beat from "../../../feed/Beat.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import * as LeftPositions from "./LeftPositions.ts"
import * as MarkWatch from "../markets/MarkWatch.ts"
import * as Measures from "../markets/Measures.ts"
import * as Stands from "./Stands.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"
import type { DeskTwaps } from "../orders/Twaps.ts"

export interface Liquidations {
  /** Positions of this desk that nobody took so far. */
  readonly left: LeftPositions.LeftPositions["all"]
}

export const make = Effect.fnUntraced(function* (
  traders: Traders,
  twaps: DeskTwaps
): Effect.fn.Return<Liquidations, never, Feed | MarketClient | VenueModes | Scope.Scope> {
  const clock = yield* Clock.Clock
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const modes = yield* VenueModes
  const measure = yield* Measures.make(twaps)
  /** What accounts have is in doubt while the venue is halted (I52); each is looked at again every second. */
  const act = (one: Measures.Case) => {
    if (modes.now().trading !== "HALTED") measure(one)
  }
  const left = yield* LeftPositions.make(traders)
  const stands = yield* Stands.make(traders)
  const cases = new Map<Account, Measures.Case>()
  const now = () => clock.currentTimeMillisUnsafe()

  /** A thrown error is a fault of ours: its account is left alone until something of it changes, and all others go on. */
  const failed = ({ accountId }: Account, cause: unknown) =>
    run(Effect.logError(`account ${accountId} cannot be looked at for liquidation`, cause))
  const found = (trader: Trader, account: Account) => {
    if (cases.has(account)) return
    const one = Measures.none(trader, account)
    cases.set(account, one)
    beat.start()
    act(one)
  }
  const marks = MarkWatch.make(instruments.keys(), traders.get, found, failed)
  const goOn = (one: Measures.Case) => {
    const { account, trader } = one
    const isHere = traders.get(trader.userId) === trader
    if (isHere && !trader.isLive()) return
    refresh(account, trader.ledger.prices)
    if (isHere && (isInLiquidation(account) || isFrozen(account))) {
      if (now() - one.actedAtMillis >= againMillis - earlyMillis) act(one)
      return
    }
    cases.delete(account)
    left.over(account.accountId)
    if (isHere) changed(trader)
  }
  const beat = yield* Beat.make(
    againMillis,
    Effect.sync(() => {
      for (const one of cases.values()) {
        const gone = Result.try(() => goOn(one))
        if (Result.isSuccess(gone)) continue
        cases.delete(one.account)
        failed(one.account, gone.failure)
      }
      return cases.size > 0
    })
  )

  const looks = yield* Beat.make(lookMillis, Effect.as(Effect.sync(marks.lookAgain), false))
  const changed = (trader: Trader) => {
    marks.changed(trader)
    looks.start()
  }
  for (const trader of traders.all()) changed(trader)
  traders.watch(changed)
  traders.watchMoves(changed)

  const hear = ({ events, instrument: { symbol } }: Batch) => {
    let hasMoved = false
    for (const event of events) {
      if (event._tag === "Priced") hasMoved = true
      else if (event._tag === "TakeoverOpened") stands.opened(symbol)
      else if (event._tag === "TakeoverClosed") {
        stands.closed(symbol)
        left.closed(symbol, event)
      }
    }
    if (hasMoved) marks.moved(symbol, feed.prices.get(symbol)!.freshMarkE8)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => feed.watch(hear, stands.begun)),
    (stop) => Effect.sync(stop)
  )
  return { left: left.all }
})

/** For as long as an account is in liquidation, something is done about it once in this time. */
const againMillis = 1_000
/** A timer may fire so much too early. */
const earlyMillis = 10
/** Accounts of which something changed are looked at within this, and with every mark. */
const lookMillis = 100
