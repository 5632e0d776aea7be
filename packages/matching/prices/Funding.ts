/** Effects of passing time: premium samples every 5 s and hourly funding payments (rule 10). */
import * as Funding from "@venue/domain/Funding"
import type { Instrument } from "@venue/domain/Instrument"
import type { Priced } from "@venue/domain/Market"
import type { Funded, Sampled } from "@venue/domain/Funding"
import { isLive } from "@venue/domain/MarketHours"
import * as Oracle from "@venue/domain/Oracle"
import * as Sampling from "@venue/domain/Sampling"
import { isOver } from "@venue/domain/TradingState"
import * as Ladder from "../book/Ladder.ts"
import type { Events, Market } from "../Market.ts"
import * as Participants from "../state/Participants.ts"

/**
 * Records the effects of elapsed time before a command is decided. Nothing has changed since the last event, so one
 * sample represents all sampling times since then. An hour that contains the last event is settled when it ends.
 * Market time never goes back, so no hour is settled twice.
 */
export const pass = (market: Market, nowMillis: number, events: Events): void => {
  const { instrument, prices } = market
  // Nothing is recorded before the first price, so the state must not change: a replay could not reproduce the
  // change.
  if (prices === undefined || isOver(market.tradingState)) return
  const endMillis = stepOf(nowMillis, Funding.hourMillis)
  const fromMillis = stepOf(market.timeMillis, Funding.hourMillis)
  if (endMillis > fromMillis) {
    const skipped = endMillis - fromMillis > Funding.hourMillis || nowMillis - endMillis > patienceMillis
    if (!skipped) sample(market, prices, endMillis, events)
    const ended =
      skipped || market.tradingState !== "TRADING" || isStale(instrument, prices, endMillis)
        ? skip(prices, fromMillis, endMillis)
        : fund(market, prices, fromMillis, endMillis)
    record(market, ended, events)
  }
  sample(market, prices, nowMillis, events)
  market.dueMillis = markAfter(nowMillis)
}

/** Returns true if the next sample equals the last one, so that nothing needs recording before the hour ends. */
export const isIdle = (market: Market, atMillis: number): boolean => {
  const { prices, sampling } = market
  if (prices === undefined) return true
  const isTaken = isSampled(market, prices, markAfter(atMillis))
  return sampling.premiumE10 === (isTaken ? premiumOf(market, prices) : null)
}

export const apply = (market: Market, event: Sampled | Funded): void => {
  market.timeMillis = event.atMillis
  if (event._tag === "Funded" && event.rateE12 !== 0) {
    const book = (position: Participants.Account["position"]) => Funding.book(position, market.instrument, event)
    Participants.payAll(market.participants, book, event.remainder)
  }
  market.sampling = Sampling.after(market.sampling, event)
}

/**
 * Maximum delay in milliseconds for settling an hour. An hour whose end is processed later is skipped. The limit
 * leaves another node enough time to take over the market.
 */
const patienceMillis = 60_000

function record(market: Market, event: Sampled | Funded, events: Events): void {
  apply(market, event)
  events.push(event)
}

/** The book has not moved, so all samples have the same premium and differ only in whether they count. */
function sample(market: Market, prices: Priced, untilMillis: number, events: Events): void {
  let markMillis = markAfter(market.timeMillis)
  if (markMillis > untilMillis) return
  const premiumE10 = premiumOf(market, prices)
  for (; markMillis <= untilMillis; markMillis += Funding.sampleMillis) {
    const sampled = isSampled(market, prices, markMillis) ? premiumE10 : null
    if (sampled === market.sampling.premiumE10) continue
    record(market, { _tag: "Sampled", premiumE10: sampled, atMillis: markMillis }, events)
  }
}

/** A sample covers the 5 s that end with it, so the last sample before the underlier closes counts. */
function isSampled({ instrument, tradingState }: Market, prices: Priced, markMillis: number): boolean {
  return (
    tradingState === "TRADING" &&
    isLive(instrument, markMillis - Funding.sampleMillis) &&
    !isStale(instrument, prices, markMillis)
  )
}

function isStale(instrument: Instrument, prices: Priced, markMillis: number): boolean {
  return (
    Oracle.sourceAt(instrument, prices, markMillis) === "stale" ||
    Oracle.sourceAt(instrument, prices, markMillis - Funding.sampleMillis) === "stale"
  )
}

function premiumOf({ asks, bids, instrument }: Market, { oracleE8 }: Priced): number {
  const bidE8 = Funding.impactPriceE8(instrument, "BUY", Ladder.each(bids))
  const askE8 = Funding.impactPriceE8(instrument, "SELL", Ladder.each(asks))
  return Funding.premiumE10(oracleE8, bidE8, askE8)
}

function fund(
  { instrument, participants, sampling }: Market,
  { markE8 }: Priced,
  fromMillis: number,
  atMillis: number
): Funded {
  const rateE12 = Funding.rateE12(Sampling.counted(sampling, atMillis))
  const remainder = Participants.remainderOf(participants, ({ quantityLots }) =>
    Funding.payment(instrument, quantityLots, { rateE12, markE8 })
  )
  return { _tag: "Funded", rateE12, markE8, remainder, fromMillis, skipped: false, atMillis }
}

function skip({ markE8 }: Priced, fromMillis: number, atMillis: number): Funded {
  return { _tag: "Funded", rateE12: 0, markE8, remainder: 0, fromMillis, skipped: true, atMillis }
}

function markAfter(millis: number): number {
  return stepOf(millis, Funding.sampleMillis) + Funding.sampleMillis
}

function stepOf(millis: number, step: number): number {
  return millis - (millis % step)
}
