/** What an account made and paid in one market, by that market's log. */
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
  const found: Array<Lines.Found> = []
  const wrong = (fault: string) => {
    if (found.length < mostFound) found.push({ what: stream, difference: `${stream}: ${fault}` })
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
          if (claim.seq === seq) found.push(claim.heldAgainst(MarketFold.positionAsOf(fold, accountId, seq)))
        }
        Versions.forget(fold.positions, seq)
        Versions.forget(fold.house, seq)
      }
      return lines
    })
  )
  return { next, found: () => found }
}

/** One event may bring a profit, a fee and a reward at once. */
const linesOf = (
  stream: string,
  seq: number,
  event: MarketEvent,
  [lots, cash, basis, fees, funding, rewards]: MarketFold.Position,
  [isLots, isCash, isBasis, isFees, isFunding, isRewards]: MarketFold.Position
): ReadonlyArray<Lines.Line> => {
  const atMillis = "atMillis" in event ? event.atMillis : 0
  const what = `${stream.slice(stream.indexOf("/") + 1)} ${event._tag}, position ${lots} to ${isLots} lots`
  const parts = [
    ["profit", isCash + isBasis - cash - basis],
    ["fee", fees - isFees],
    [event._tag === "DividendPaid" ? "dividend" : "funding", isFunding - funding],
    ["builder reward", isRewards - rewards]
  ] as const
  return parts.flatMap(([kind, amount]) =>
    amount === 0 ? [] : [{ atMillis, stream, seq, kind, amount: BigInt(amount), what }]
  )
}

const mostFound = 20
