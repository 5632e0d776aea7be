/** Lines about an account's profits, fees and funding in one market, from the market's log. */
import type { AccountId } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Effect } from "effect"
import * as MarketFold from "../auditor/MarketFold.ts"
import type * as Reading from "../auditor/Reading.ts"
import * as Versions from "../auditor/Versions.ts"
import type { Claim } from "./Claims.ts"
import * as Lines from "./Lines.ts"

export const make = (
  reading: Reading.Reading,
  instrument: Instrument,
  accountId: AccountId,
  claims: ReadonlyArray<Claim>
): Lines.Lines => {
  const stream = marketStream(instrument.symbol)
  const fold = MarketFold.make(instrument)
  const comparisons: Array<Lines.Comparison> = []
  const wrong = (fault: string) => {
    if (comparisons.length < mostDifferences) comparisons.push({ what: stream, difference: `${stream}: ${fault}` })
  }
  const next = Lines.make(reading, stream, (rows) =>
    Effect.sync(() => {
      const lines: Array<Lines.Line> = []
      for (const { events, seq } of rows) {
        for (const event of events.length === 0 ? [] : MarketRecord.decode(events)) {
          const before = MarketFold.positionAsOf(fold, accountId, seq)
          MarketFold.take(fold, [event], seq, wrong)
          const after = MarketFold.positionAsOf(fold, accountId, seq)
          if (before !== after) lines.push(...linesOf(stream, seq, event, before, after))
        }
        for (const claim of claims) {
          if (claim.seq === seq) comparisons.push(claim.compare(MarketFold.positionAsOf(fold, accountId, seq)))
        }
        Versions.forget(fold.positions, seq)
        Versions.forget(fold.house, seq)
      }
      return lines
    })
  )
  return { next, comparisons: () => comparisons }
}

/** Returns an event's lines. One event can realise a profit, charge a fee and pay a reward. */
const linesOf = (
  stream: string,
  seq: number,
  event: MarketEvent,
  [lots, cash, basis, fees, funding, rewards]: MarketFold.Position,
  [newLots, newCash, newBasis, newFees, newFunding, newRewards]: MarketFold.Position
): ReadonlyArray<Lines.Line> => {
  const atMillis = "atMillis" in event ? event.atMillis : 0
  const what = `${stream.slice(stream.indexOf("/") + 1)} ${event._tag}, position ${lots} to ${newLots} lots`
  const parts = [
    ["profit", newCash + newBasis - cash - basis],
    ["fee", fees - newFees],
    [event._tag === "DividendPaid" ? "dividend" : "funding", newFunding - funding],
    ["builder reward", newRewards - rewards]
  ] as const
  return parts.flatMap(([kind, amount]) =>
    amount === 0 ? [] : [{ atMillis, stream, seq, kind, amount: BigInt(amount), what }]
  )
}

const mostDifferences = 20
