/** What every command to a market carries of its request, and how a request is refused. */
import { echoOf } from "@venue/domain/Echo"
import type { Priced, TraderCommand } from "@venue/domain/Market"
import type { OrderRequest } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import { type Account, isFrozen } from "./Account.ts"
import type { Exposure } from "./Exposure.ts"
import { isInLiquidation } from "./Liquidation.ts"
import type { Trader } from "./Trader.ts"

/** A request with what it comes to. */
export interface Entry {
  readonly trader: Trader
  readonly traderEpoch: number
  readonly request: OrderRequest
  readonly priced: Priced | undefined
}

/** An account in liquidation, or with a takeover open, may only shrink what it has; it was refreshed before. */
export const inLiquidation = (account: Account): OrderRefusal | undefined =>
  isInLiquidation(account) || isFrozen(account) ? "USER_IN_LIQUIDATION" : undefined

/** A market without prices is closed, one with stale prices to what adds risk, and that outranks every flaw. */
export const refuseFlaw = (entry: Entry, flaw: OrderRefusal, addsRisk: boolean): TraderCommand => {
  const { priced } = entry
  const isClosed = priced === undefined || (addsRisk && priced.source === "stale")
  return refuse(entry, isClosed ? "REJECTED_MARKET_CLOSED" : flaw)
}

export const refuse = (entry: Entry, status: OrderRefusal): TraderCommand => ({
  _tag: "Refuse",
  ...envelope(entry),
  status,
  echo: echoOf(entry.request)
})

export const envelope = ({ request, trader, traderEpoch }: Entry) => {
  const { accountId, commandId, expiresAtMillis } = request
  return { commandId, expiresAtMillis, traderEpoch, userId: trader.userId, accountId }
}

export const terms = ({ leverage, maxNotional, rates }: Exposure) => ({
  makerRate: rates.maker,
  takerRate: rates.taker,
  maxNotional,
  leverage
})
