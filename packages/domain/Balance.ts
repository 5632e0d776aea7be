/** Balances and holdings of accounts, and the limits of liquidity providers. Money in 1e-6 USD. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import { MarketSymbol } from "./MarketSymbol.ts"
import { UserId } from "./UserId.ts"

/** One account's balance (rule 8). Only prices, funding, fees and deposit reversals can make `available` negative. */
export const Balance = Schema.Struct({
  accountId: AccountId,
  deposit: Schema.BigInt,
  realised: Schema.BigInt,
  unrealised: Schema.BigInt,
  funding: Schema.BigInt,
  fees: Schema.BigInt,
  /** Builder rewards received; null if the account has never owned a builder code. */
  builderRewards: Schema.NullOr(Schema.BigInt),
  /** Referral rewards received; absent in responses from nodes that run an older release. */
  referralRewards: Schema.optionalKey(Schema.BigInt),
  orderMargin: Schema.BigInt,
  positionMargin: Schema.BigInt,
  equity: Schema.BigInt,
  available: Schema.BigInt,
  withdrawable: Schema.BigInt
})
export type Balance = typeof Balance.Type

/** An account's appointment as liquidity provider in a market; `limit` is the maximum position value in 1e-6 USD. */
export const ProviderLimit = Schema.Struct({
  userId: UserId,
  accountId: AccountId,
  symbol: MarketSymbol,
  limit: Schema.Number
})
export type ProviderLimit = typeof ProviderLimit.Type

/** State of one account in one market. */
export const Holding = Schema.Struct({
  accountId: AccountId,
  symbol: MarketSymbol,
  /** Signed lots. */
  quantityLots: Schema.Number,
  /** Signed cost of the position in 1e-6 USD. The average price is basis / quantity. */
  basis: Schema.Number,
  realised: Schema.Number,
  unrealised: Schema.BigInt,
  funding: Schema.Number,
  fees: Schema.Number,
  leverage: Schema.Number,
  marginHeld: Schema.BigInt,
  openOrders: Schema.Number,
  /** Unfilled lots of the open orders. */
  openQuantityLots: Schema.Number
})
export type Holding = typeof Holding.Type
