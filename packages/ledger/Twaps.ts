/**
 * The TWAPs of a trader: its journal says which there are and which have ended, their markets how far each has come (rule 16).
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

/** One account may have so many that have not ended. */
export const most = 50

/** The last slice of a TWAP is due within so long. */
export const longestMillis = 365 * 86_400_000

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

export const end = ({ twaps }: Trader, { ending, twapIds }: EndTwaps, atMillis: number): ReadonlyArray<TraderEvent> =>
  twapIds
    .filter((twapId) => twaps.get(twapId)?.ending === null)
    .map((twapId) => ({ _tag: "TwapEnded", twapId, ending, atMillis }))

export const forget = ({ twaps }: Trader, { twapIds }: ForgetTwaps): ReadonlyArray<TraderEvent> =>
  twapIds.filter((twapId) => twaps.has(twapId)).map((twapId) => ({ _tag: "TwapForgotten", twapId }))

/** Lists those that have not ended: of an account, of a symbol, or all. */
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

/** Lists those that a cancel names. */
export const named = (trader: Trader, { byClientTwapId, twapId, ...of }: CancelTwap): ReadonlyArray<TwapId> =>
  live(trader, of)
    .map(({ terms }) => terms)
    .filter((terms) => (byClientTwapId ? terms.clientTwapId : terms.twapId) === twapId)
    .map((terms) => terms.twapId)

/** Lists those of an account that go on in their markets, the newest first. */
export const open = (
  trader: Trader,
  accountId: AccountId
): ReadonlyArray<{ readonly symbol: MarketSymbol; readonly twap: Twap }> =>
  live(trader, { accountId })
    .flatMap(({ progress, symbol }) => (progress === undefined ? [] : [{ symbol, twap: progress }]))
    .toReversed()

/** A market tells of one of its TWAPs. */
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

/** A market tells which TWAPs of an account it has. */
export const adopt = (trader: Trader, symbol: MarketSymbol, accountId: AccountId, told: ReadonlyArray<Twap>): void => {
  const found = new Map(told.map((twap) => [twap.twapId, twap]))
  for (const [twapId, twap] of trader.twaps) {
    if (twap.symbol !== symbol || twap.terms.accountId !== accountId) continue
    twap.progress = found.get(twapId)
    // What was sent while the market had not told was to open it, or to close it once it has ended.
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
  if (!Number.isSafeInteger(timesTheMark * notional(instrument, priced.upperTicks, totalLots))) {
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
  return live(trader, { accountId }).length < most ? undefined : { flaw: "TOO_MANY", bound: most }
}

/** Prices may rise so far before what a TWAP has filled is no exact number. */
const timesTheMark = 10
