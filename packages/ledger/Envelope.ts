/** Fields common to every command for a market, and refusals. */
import { echoOf } from "@venue/domain/Echo"
import type { Priced, TraderCommand } from "@venue/domain/Market"
import type { OrderRequest } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import { type Account, isFrozen } from "./Account.ts"
import type { Exposure } from "./Exposure.ts"
import { isInLiquidation } from "./Liquidation.ts"
import type { Trader } from "./Trader.ts"

/** A request, its trader, and the current prices of the request's market. */
export interface Entry {
  readonly trader: Trader
  readonly traderEpoch: number
  readonly request: OrderRequest
  readonly priced: Priced | undefined
}

/** Returns the refusal if the account is in liquidation or has an open takeover. Refresh the account first. */
export const inLiquidation = (account: Account): OrderRefusal | undefined =>
  isInLiquidation(account) || isFrozen(account) ? "USER_IN_LIQUIDATION" : undefined

/** Refuses a request for this flaw, or for a closed market (no prices, or stale ones if the request adds risk). */
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

/** Returns the user's terms for a command: fee rates, leverage and position limit. */
export const terms = ({ leverage, maxNotional, rates }: Exposure) => ({
  makerRate: rates.maker,
  takerRate: rates.taker,
  maxNotional,
  leverage
})
