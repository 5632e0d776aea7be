/**
 * The TWAPs of a desk's traders (rule 16): one timer for all of them, which is set while there are any. What is due is done
 * once the journal has all that came before it, and once the market has told how far it has come, so that a new owner of the
 * desk goes on where the last one stopped.
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
import { Clock, Effect, Result } from "effect"
import { Ids } from "../../../clients/Ids.ts"
import { Feed } from "../../../feed/Feed.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import * as DueTraders from "../traders/DueTraders.ts"
import * as SilentMarkets from "../markets/SilentMarkets.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

export interface DeskTwaps {
  /** Why it is not accepted; undefined when its market is going to tell that it has begun. */
  readonly add: (trader: Trader, request: AddTwap) => SubmitRefusal | undefined
  /** False when it names none that could end; otherwise its market is going to tell. */
  readonly cancel: (trader: Trader, request: CancelTwap) => boolean
  /** Ends all of an account, of a symbol, or of both, though nobody asked. */
  readonly end: (
    trader: Trader,
    of: { readonly accountId?: AccountId; readonly symbol?: MarketSymbol },
    ending: TwapEnding
  ) => void
}

/** They go on for as long as the scope is open. */
export const make = Effect.fnUntraced(function* (traders: Traders) {
  const clock = yield* Clock.Clock
  const { tradingStates } = yield* Feed
  const { close, open, place } = yield* makeSteps
  const now = () => clock.currentTimeMillisUnsafe()
  /** So much that the journal is to say of each is not committed yet. */
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

  /** Does what is due, and answers when to look again. */
  const look = (trader: Trader): number => {
    let againMillis = Infinity
    const over: Array<TwapId> = []
    for (const [twapId, twap] of trader.ledger.twaps) {
      if (recording.has(twapId) || !trader.isLive(twap.symbol)) continue
      const next = TwapCommands.next(trader.ledger, twap, now())
      if (next._tag === "Open") open(trader, twap)
      else if (next._tag === "Slice") place(trader, twap, next)
      else if (next._tag === "Close") close(trader, [twap], next.ending)
      else if (next._tag === "End") end(trader, [twapId], next.ending)
      else if (next._tag === "Forget") over.push(twapId)
      againMillis = Math.min(againMillis, next._tag === "Wait" ? next.untilMillis : now() + lookAgainMillis)
    }
    record(trader, over, { _tag: "ForgetTwaps", twapIds: over }, () => {})
    return againMillis
  }
  yield* DueTraders.make(traders, { what: "TWAPs", concerns: ({ ledger }) => ledger.twaps.size > 0, look })

  return {
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
        // Its market hears of each before it hears that it is over.
        for (const twap of [first!, ...others]) if (twap.sentId === "") open(trader, twap)
        close(trader, [first!, ...others], "REQUEST", request.commandId)
      })
      return twapIds.length > 0
    },
    end: (trader, of, ending) => {
      const twapIds = Twaps.live(trader.ledger, of).map(({ terms }) => terms.twapId)
      end(trader, twapIds, ending)
    }
  } satisfies DeskTwaps as DeskTwaps
})

/** What is sent to a market about a TWAP. */
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
  /** The id of a child says which slice it is of. Margin is held as for any order, so what adds risk waits likewise. */
  const place = (trader: Trader, twap: TraderTwap, step: { readonly slice: number; readonly lots: number }) => {
    const { symbol, terms } = twap
    const mayGo = terms.reduceOnly || (trader.isLive() && silent.mayAddRisk(trader, symbol))
    // Each is an order: one whose time comes while the venue takes none is placed later, or missed.
    if (!mayGo || modes.now().trading !== "TRADING") return
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

/** A TWAP that begins or ends has time to wait for its market. */
const expiryMillis = 60_000
/** Where the outcome of what was done is not known, or nothing could be done, it is looked at again after this. */
const lookAgainMillis = TwapCommands.recheckMillis
