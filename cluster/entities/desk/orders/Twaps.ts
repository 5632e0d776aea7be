/**
 * Runs the TWAPs of a desk's traders (rule 16) on one timer. A TWAP advances only once its earlier changes are in the
 * journal and the market has reported its progress, so that a new owner of the desk can continue the TWAP.
 */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { CancelTwap } from "@venue/domain/Order"
import { type AddTwap, childId, type InvalidTwap, TwapId, type TwapEnding } from "@venue/domain/Twap"
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { LedgerCommandOf, UnknownAccount } from "@venue/domain/Trader"
import * as Ledger from "@venue/ledger/Ledger"
import type { TraderTwap } from "@venue/ledger/Trader"
import * as TwapCommands from "@venue/ledger/TwapCommands"
import * as Twaps from "@venue/ledger/Twaps"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Clock, Effect, Result, identity } from "effect"
import { Ids } from "../../../clients/Ids.ts"
import { Feed } from "../../../feed/Feed.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import * as DueTraders from "../traders/DueTraders.ts"
import * as SilentMarkets from "../markets/SilentMarkets.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

export interface DeskTwaps {
  /** Returns the reason for refusing the TWAP, or undefined if it is accepted. The market then reports its start. */
  readonly add: (trader: Trader, request: AddTwap) => SubmitRefusal | undefined
  /** Cancels matching TWAPs. The market reports their end. Returns false if no TWAP matches. */
  readonly cancel: (trader: Trader, request: CancelTwap) => boolean
  /** Ends all TWAPs of an account, a symbol or both without a request from the user. */
  readonly end: (
    trader: Trader,
    of: { readonly accountId?: AccountId; readonly symbol?: MarketSymbol },
    ending: TwapEnding
  ) => void
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const clock = yield* Clock.Clock
  const { tradingStates } = yield* Feed
  const { close, open, place } = yield* makeSteps
  const now = () => clock.currentTimeMillisUnsafe()
  /** Number of uncommitted journal changes per TWAP. */
  const recording = new Map<TwapId, number>()
  const count = (twapIds: ReadonlyArray<TwapId>, more: 1 | -1) => {
    for (const twapId of twapIds) {
      const left = (recording.get(twapId) ?? 0) + more
      if (left === 0) recording.delete(twapId)
      else recording.set(twapId, left)
    }
  }

  const record = <Tag extends "AddTwap" | "EndTwaps" | "ForgetTwaps">(
    trader: Trader,
    twapIds: ReadonlyArray<TwapId>,
    command: LedgerCommandOf<Tag>,
    then: () => void
  ) => {
    if (twapIds.length === 0) return
    count(twapIds, 1)
    trader.change<Tag>(command, (result) => {
      count(twapIds, -1)
      if (Result.isSuccess(result)) then()
    })
  }
  const end = (trader: Trader, twapIds: ReadonlyArray<TwapId>, ending: TwapEnding) =>
    record(trader, twapIds, { _tag: "EndTwaps", twapIds, ending }, () => {})

  /** Performs the due actions. Returns the time of the next action in milliseconds. */
  const run = (trader: Trader): number => {
    let nextMillis = Infinity
    const ended: Array<TwapId> = []
    for (const [twapId, twap] of trader.ledger.twaps) {
      if (recording.has(twapId) || !trader.isLive(twap.symbol)) continue
      const next = TwapCommands.next(trader.ledger, twap, now())
      if (next._tag === "Open") open(trader, twap)
      else if (next._tag === "Slice") place(trader, twap, next)
      else if (next._tag === "Close") close(trader, [twap], next.ending)
      else if (next._tag === "End") end(trader, [twapId], next.ending)
      else if (next._tag === "Forget") ended.push(twapId)
      nextMillis = Math.min(nextMillis, next._tag === "Wait" ? next.untilMillis : now() + retryMillis)
    }
    record(trader, ended, { _tag: "ForgetTwaps", twapIds: ended }, () => {})
    return nextMillis
  }
  yield* DueTraders.make(traders, { name: "TWAPs", concerns: ({ ledger }) => ledger.twaps.size > 0, run })

  return identity<DeskTwaps>({
    add: (trader, request) => {
      const { symbol } = request
      if (tradingStates.get(symbol) !== "TRADING") return { _tag: "InvalidTwap", flaw: "SYMBOL", bound: 0 }
      const decided = Ledger.decide(trader.ledger, request, now())
      if (Result.isFailure(decided)) return refusalOf(decided.failure)
      const twapId = TwapId.make(request.commandId.text)
      trader.join(symbol)
      record(trader, [twapId], request, () => open(trader, trader.ledger.twaps.get(twapId)!))
      return undefined
    },
    cancel: (trader, request) => {
      const twapIds = Twaps.named(trader.ledger, request)
      record(trader, twapIds, { _tag: "EndTwaps", twapIds, ending: "REQUEST" }, () => {
        const [first, ...others] = twapIds.map((twapId) => trader.ledger.twaps.get(twapId)!)
        // The market must receive a TWAP's start before its end.
        for (const twap of [first!, ...others]) if (twap.sentId === "") open(trader, twap)
        close(trader, [first!, ...others], "REQUEST", request.commandId)
      })
      return twapIds.length > 0
    },
    end: (trader, of, ending) => {
      const twapIds = Twaps.live(trader.ledger, of).map(({ terms }) => terms.twapId)
      end(trader, twapIds, ending)
    }
  })
})

/** Returns functions that open and close a TWAP at its market and place its slices. */
const makeSteps = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const silent = yield* SilentMarkets.make
  const modes = yield* VenueModes
  const { commandExpiryMillis } = yield* VenueSettings
  const ids = yield* Ids
  const now = () => clock.currentTimeMillisUnsafe()
  const open = (trader: Trader, twap: TraderTwap) =>
    trader.send(twap.symbol, (traderEpoch) => {
      const envelope = { commandId: ids.next(), expiresAtMillis: now() + expiryMillis, traderEpoch }
      return TwapCommands.opening(trader.ledger, twap, envelope)
    })
  const close = (trader: Trader, twaps: TwapCommands.SameMarketTwaps, ending: TwapEnding, commandId = ids.next()) =>
    trader.send(twaps[0].symbol, (traderEpoch) => {
      const envelope = { commandId, expiresAtMillis: now() + expiryMillis, traderEpoch }
      return TwapCommands.closing(trader.ledger, twaps, ending, envelope)
    })
  /**
   * Places a slice's order, whose id is derived from the slice number. Like any order that adds risk, it might be
   * queued until all of the trader's markets are live.
   */
  const place = (trader: Trader, twap: TraderTwap, step: { readonly slice: number; readonly lots: number }) => {
    const { symbol, terms } = twap
    const maySend = terms.reduceOnly || (trader.isLive() && silent.mayAddRisk(trader, symbol))
    // While the venue accepts no orders, the slice is postponed or missed.
    if (!maySend || modes.now().trading !== "TRADING") return
    trader.send(symbol, (traderEpoch) => {
      const commandId = childId(terms.twapId, step.slice)
      const envelope = { commandId, expiresAtMillis: now() + commandExpiryMillis, traderEpoch }
      return TwapCommands.placing(trader.ledger, twap, step, envelope)
    })
  }
  return { open, close, place }
})

const refusalOf = (failure: InvalidTwap | UnknownAccount): SubmitRefusal =>
  failure._tag === "UnknownAccount"
    ? { _tag: "UnknownAccount", accountId: failure.accountId }
    : { _tag: "InvalidTwap", flaw: failure.flaw, bound: failure.bound }

/** Lifetime of commands that open or close a TWAP, in milliseconds. */
const expiryMillis = 60_000
/** Interval between checks while an outcome is unknown or an action is impossible. */
const retryMillis = TwapCommands.recheckMillis
