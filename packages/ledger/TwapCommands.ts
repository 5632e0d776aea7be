/** The next action for a TWAP, and the commands to its market that carry it out. */
import type { Id } from "@venue/domain/Id"
import { priceOf, quantityOf } from "@venue/domain/Instrument"
import type { PlaceSlice } from "@venue/domain/Market"
import type { PlaceOrder } from "@venue/domain/Order"
import { clipped } from "@venue/domain/PriceBand"
import type { CloseTwaps, OpenTwap, TwapEnding } from "@venue/domain/Twap"
import { refresh } from "./Account.ts"
import { enter } from "./Entry.ts"
import * as MarginCheck from "./MarginCheck.ts"
import { exposureOf, send, type Trader, type TraderTwap } from "./Trader.ts"
import * as TwapSchedule from "./TwapSchedule.ts"

/** Next action for a TWAP, after its market has reported the TWAP's state. */
export type Next =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Slice"; readonly slice: number; readonly lots: number }
  | { readonly _tag: "Wait"; readonly untilMillis: number }
  | { readonly _tag: "End"; readonly ending: TwapEnding }
  | { readonly _tag: "Close"; readonly ending: TwapEnding }
  | { readonly _tag: "Forget" }

export const next = (trader: Trader, twap: TraderTwap, nowMillis: number): Next => {
  const { ending, progress, sentId, symbol, terms } = twap
  if (trader.inFlight.has(sentId)) return { _tag: "Wait", untilMillis: nowMillis + recheckMillis }
  if (ending !== null) return progress === undefined ? { _tag: "Forget" } : { _tag: "Close", ending }
  if (progress === undefined) return { _tag: "Open" }
  if (progress.refusal === "FAILED_MARGIN_CHECK") return { _tag: "End", ending: "MARGIN" }
  if (nowMillis >= terms.startMillis && terms.reduceOnly && reducibleLots(trader, twap) <= 0) {
    return { _tag: "End", ending: "REDUCED" }
  }
  const step = TwapSchedule.stepAt(progress, trader.instruments.get(symbol)!.maxQuantityLots, nowMillis)
  return step._tag === "Over" ? { _tag: "End", ending: "COMPLETED" } : step
}

/** Interval in milliseconds until the next check if no action is possible now. */
export const recheckMillis = 1_000

/** Fields that the sender adds to a command. */
export interface Envelope {
  readonly commandId: Id
  readonly expiresAtMillis: number
  readonly traderEpoch: number
}

export const opening = (trader: Trader, twap: TraderTwap, envelope: Envelope): OpenTwap => {
  const { userId } = trader
  const { accountId } = twap.terms
  registerSent(trader, twap, envelope)
  return { _tag: "OpenTwap", ...envelope, userId, accountId, terms: twap.terms }
}

/** One or more TWAPs of one account in one market. */
export type SameMarketTwaps = readonly [TraderTwap, ...ReadonlyArray<TraderTwap>]

/** Returns the command that closes TWAPs that ended for the same reason. */
export const closing = (trader: Trader, twaps: SameMarketTwaps, ending: TwapEnding, envelope: Envelope): CloseTwaps => {
  const { userId } = trader
  const { accountId } = twaps[0].terms
  for (const twap of twaps) registerSent(trader, twap, envelope)
  return { _tag: "CloseTwaps", ...envelope, userId, accountId, twapIds: twaps.map(({ terms }) => terms.twapId), ending }
}

/**
 * Returns the command for a slice. The child order is entered like any order of the account: as MARKET, or as LIMIT
 * IOC if the TWAP has a worst price (rule 16.5).
 */
export const placing = (
  trader: Trader,
  twap: TraderTwap,
  { lots, slice }: { readonly lots: number; readonly slice: number },
  { traderEpoch, ...envelope }: Envelope
): PlaceSlice => {
  const { symbol, terms } = twap
  const { accountId, builderCode, reduceOnly, side, twapId } = terms
  const instrument = trader.instruments.get(symbol)!
  const limitTicks = limitOf(trader, twap, lots)
  const order: PlaceOrder = {
    _tag: "PlaceOrder",
    ...envelope,
    accountId,
    symbol,
    side,
    type: limitTicks === 0 ? "MARKET" : "LIMIT",
    timeInForce: "IOC",
    price: priceOf(instrument, limitTicks),
    quantity: quantityOf(instrument, lots),
    reduceOnly,
    clientOrderId: "",
    builderCode
  }
  const entered = enter(trader, order, traderEpoch)
  twap.sentId = envelope.commandId.text
  const child = entered._tag === "Place" ? { ...entered, origin: "TWAP" as const } : entered
  if (child._tag !== "Place" && child._tag !== "Refuse")
    throw new Error(`expected an order of a TWAP, got ${child._tag}`)
  return { _tag: "PlaceSlice", ...envelope, traderEpoch, userId: trader.userId, accountId, twapId, slice, child }
}

/**
 * Returns the child order's limit in ticks, or 0 if the TWAP has no worst price. A loose worst price is tightened to
 * the price band and bounds, and to the bankruptcy price if the child can only reduce. The child is then not refused
 * and holds margin at the tightened price.
 */
function limitOf(trader: Trader, { symbol, terms }: TraderTwap, lots: number): number {
  const { accountId, side, worstTicks } = terms
  const priced = trader.prices.get(symbol)
  if (worstTicks === 0 || priced === undefined) return worstTicks
  const account = trader.accounts.get(accountId)!
  refresh(account, trader.prices)
  const limitTicks = clipped(priced, side === "SELL", worstTicks)
  const boundTicks = MarginCheck.reducingBound(account, exposureOf(trader, account, symbol)!, terms, lots)
  if (boundTicks === 0) return limitTicks
  return side === "SELL" ? Math.max(limitTicks, boundTicks) : Math.min(limitTicks, boundTicks)
}

function reducibleLots(trader: Trader, { symbol, terms: { accountId, side } }: TraderTwap): number {
  const lots = trader.accounts.get(accountId)?.exposures.get(symbol)?.position.quantityLots ?? 0
  return side === "SELL" ? lots : -lots
}

function registerSent(trader: Trader, twap: TraderTwap, { commandId }: Envelope): void {
  const { symbol, terms } = twap
  const account = trader.accounts.get(terms.accountId)!
  twap.sentId = commandId.text
  if (!trader.inFlight.has(twap.sentId)) send(trader, account, exposureOf(trader, account, symbol)!, twap.sentId, "")
}
