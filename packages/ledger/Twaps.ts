/**
 * The TWAPs of a trader: the journal records their acceptance and end, the markets report their progress (rule 16).
 *
 *     accepted → opened in its market → slice after slice → ended → closed in its market → forgotten
 */
import type { AccountId } from "@venue/domain/AccountId"
import { lotsOf, minimumNotionalLots, notional, priceOf, quantityOf, ticksOf } from "@venue/domain/Instrument"
import type { MarketEvent } from "@venue/domain/Market"
import type { CancelTwap } from "@venue/domain/Order"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type EndTwaps, type ForgetTwaps, type TraderEvent, UnknownAccount } from "@venue/domain/Trader"
import { type AddTwap, InvalidTwap, type Twap, type TwapFlaw, TwapId, type TwapTerms } from "@venue/domain/Twap"
import { Result } from "effect"
import { refresh } from "./Account.ts"
import { inLiquidation } from "./Envelope.ts"
import { priceFlaw } from "./OrderShape.ts"
import { arrive, type Trader, type TraderTwap } from "./Trader.ts"
import * as TwapSchedule from "./TwapSchedule.ts"

/** Maximum number of live TWAPs of an account (rule 6.9). */
export const maxLiveTwaps = 50

/** Maximum time until the last slice is due, in milliseconds (rule 16.1). */
export const longestMillis = 365 * 86_400_000

/** Decides a new TWAP. Fails with the first invalid term; a repeat changes nothing. */
export const add = (
  trader: Trader,
  command: AddTwap,
  nowMillis: number
): Result.Result<ReadonlyArray<TraderEvent>, UnknownAccount | InvalidTwap> => {
  const { accountId, symbol } = command
  const twapId = TwapId.make(command.commandId.text)
  if (trader.twaps.has(twapId)) return Result.succeed([])
  if (!trader.accounts.has(accountId)) return Result.fail(new UnknownAccount({ accountId }))
  const instrument = trader.instruments.get(symbol)
  if (instrument === undefined) return Result.fail(new InvalidTwap({ flaw: "SYMBOL", bound: 0 }))
  const { builderCode, clientTwapId, intervalSeconds, reduceOnly, side, slices, startMillis } = command
  const terms: TwapTerms = {
    twapId,
    userId: trader.userId,
    accountId,
    clientTwapId,
    side,
    totalLots: lotsOf(instrument, command.totalQuantity),
    slices,
    intervalMillis: intervalSeconds * 1_000,
    reduceOnly,
    worstTicks: ticksOf(instrument, command.worstPrice),
    builderCode,
    startMillis: Math.max(nowMillis, startMillis),
    createdAtMillis: nowMillis
  }
  const flaw = flawOf(trader, symbol, terms, nowMillis)
  return flaw === undefined
    ? Result.succeed([{ _tag: "TwapAccepted", symbol, terms }])
    : Result.fail(new InvalidTwap(flaw))
}

/** Returns the events that end live TWAPs. Unknown and ended TWAPs produce no event. */
export const end = ({ twaps }: Trader, { ending, twapIds }: EndTwaps, atMillis: number): ReadonlyArray<TraderEvent> =>
  twapIds
    .filter((twapId) => twaps.get(twapId)?.ending === null)
    .map((twapId) => ({ _tag: "TwapEnded", twapId, ending, atMillis }))

/** Returns the events that remove TWAPs. A TWAP that is already removed produces no event. */
export const forget = ({ twaps }: Trader, { twapIds }: ForgetTwaps): ReadonlyArray<TraderEvent> =>
  twapIds.filter((twapId) => twaps.has(twapId)).map((twapId) => ({ _tag: "TwapForgotten", twapId }))

/** Returns the TWAPs that have not ended, optionally of one account or one symbol. */
export const live = (
  { twaps }: Trader,
  { accountId, symbol }: { readonly accountId?: AccountId; readonly symbol?: MarketSymbol }
): ReadonlyArray<TraderTwap> =>
  [...twaps.values()].filter(
    (twap) =>
      twap.ending === null &&
      (accountId === undefined || twap.terms.accountId === accountId) &&
      (symbol === undefined || twap.symbol === symbol)
  )

/** Returns the ids of the live TWAPs to which a cancel refers. */
export const named = (trader: Trader, { byClientTwapId, twapId, ...of }: CancelTwap): ReadonlyArray<TwapId> =>
  live(trader, of)
    .map(({ terms }) => terms)
    .filter((terms) => (byClientTwapId ? terms.clientTwapId : terms.twapId) === twapId)
    .map((terms) => terms.twapId)

/** Returns the account's TWAPs that are open in their markets, newest first. */
export const open = (
  trader: Trader,
  accountId: AccountId
): ReadonlyArray<{ readonly symbol: MarketSymbol; readonly twap: Twap }> =>
  live(trader, { accountId })
    .flatMap(({ progress, symbol }) => (progress === undefined ? [] : [{ symbol, twap: progress }]))
    .toReversed()

/** Applies a market event about one of the trader's TWAPs. */
export const observe = (
  trader: Trader,
  event: Extract<MarketEvent, { readonly _tag: "TwapOpened" | "TwapAdvanced" | "TwapClosed" }>
): void => {
  const twap = trader.twaps.get(event.twap.twapId)
  if (event._tag === "TwapOpened") arrive(trader, event.commandId.text)
  if (twap === undefined) return
  twap.progress = event._tag === "TwapClosed" ? undefined : event.twap
  if (event._tag === "TwapClosed") twap.ending ??= event.ending
}

/** Replaces the progress of an account's TWAPs in one market with the market's view. */
export const adopt = (
  trader: Trader,
  symbol: MarketSymbol,
  accountId: AccountId,
  reported: ReadonlyArray<Twap>
): void => {
  const progressById = new Map(reported.map((twap) => [twap.twapId, twap]))
  for (const [twapId, twap] of trader.twaps) {
    if (twap.symbol !== symbol || twap.terms.accountId !== accountId) continue
    twap.progress = progressById.get(twapId)
    // The view shows that the in-flight command has arrived: an open if the market has the TWAP, a close if the TWAP
    // has ended and the market no longer has it.
    if ((twap.progress !== undefined) === (twap.ending === null)) arrive(trader, twap.sentId)
  }
}

function flawOf(trader: Trader, symbol: MarketSymbol, terms: TwapTerms, nowMillis: number): TwapFlaw | undefined {
  const { accountId, intervalMillis, reduceOnly, slices, startMillis, totalLots, worstTicks } = terms
  const instrument = trader.instruments.get(symbol)!
  const priced = trader.prices.get(symbol)
  const { maxQuantityLots, minQuantityLots } = instrument
  if (priced === undefined) return { flaw: "SYMBOL", bound: 0 }
  const account = trader.accounts.get(accountId)!
  refresh(account, trader.prices)
  if (!reduceOnly && inLiquidation(account) !== undefined) return { flaw: "IN_LIQUIDATION", bound: 0 }
  if (Number.isNaN(totalLots)) return { flaw: "LOT", bound: quantityOf(instrument, 1) }
  const even = TwapSchedule.evenLots(terms)
  if (!(even >= minQuantityLots)) return { flaw: "SLICE_TOO_SMALL", bound: quantityOf(instrument, minQuantityLots) }
  if (!(even <= maxQuantityLots && TwapSchedule.lastLots(terms) <= maxQuantityLots)) {
    return { flaw: "SLICE_TOO_LARGE", bound: quantityOf(instrument, maxQuantityLots) }
  }
  if (!Number.isSafeInteger(priceHeadroom * notional(instrument, priced.upperTicks, totalLots))) {
    return { flaw: "TOO_LARGE", bound: 0 }
  }
  if (worstTicks !== 0 && priceFlaw(instrument, worstTicks) !== undefined) {
    return { flaw: "TICK", bound: priceOf(instrument, 1) }
  }
  const leastLots = minimumNotionalLots(instrument, priced.markE8)
  if (!reduceOnly && even < leastLots) {
    return { flaw: "SLICE_BELOW_NOTIONAL", bound: Math.floor(totalLots / Math.max(leastLots, minQuantityLots)) }
  }
  if (startMillis - nowMillis + slices * intervalMillis > longestMillis) {
    return { flaw: "TOO_LONG", bound: longestMillis / 86_400_000 }
  }
  return live(trader, { accountId }).length < maxLiveTwaps ? undefined : { flaw: "TOO_MANY", bound: maxLiveTwaps }
}

/** Factor by which prices can rise before a TWAP's filled value is no longer exact. */
const priceHeadroom = 10
