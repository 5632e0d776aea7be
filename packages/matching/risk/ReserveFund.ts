/** Top-ups of the reserve fund by the operator; each id counts once (rule 9.10). */
import type { FundToppedUp, TopUpFund } from "@venue/domain/ReserveFund"
import type { Events, Market } from "../Market.ts"

export const topUp = (
  market: Market,
  { amount, reason, topUpId }: TopUpFund,
  atMillis: number,
  events: Events
): void => {
  const isCounted = amount > 0 && Number.isSafeInteger(market.participants.totals.reserveFund + amount)
  if (market.topUps.has(topUpId) || !isCounted) return
  const toppedUp: FundToppedUp = { _tag: "FundToppedUp", topUpId, amount, reason, atMillis }
  apply(market, toppedUp)
  events.push(toppedUp)
}

/** Adds the top-up to the fund and subtracts it as the operator's money, so that the sum of all cash stays the same. */
export const apply = (market: Market, { amount, atMillis, topUpId }: FundToppedUp): void => {
  const { totals } = market.participants
  market.timeMillis = atMillis
  market.topUps.set(topUpId, amount)
  market.since.fundShort = 0
  totals.reserveFund += amount
  totals.toppedUp += amount
}
