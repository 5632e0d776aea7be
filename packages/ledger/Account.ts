/** One account of a user: its cash, and its exposure in each market. Money in 1e-6 USD. */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { realised, unrealised } from "@venue/domain/Position"
import type { Priced } from "@venue/domain/Market"
import type { Balance, Holding } from "@venue/domain/Balance"
import { type Exposure, valueAt } from "./Exposure.ts"

/** Latest `Priced` event of each market. All traders at a desk share this map, and the ledger only reads it. */
export type Prices = ReadonlyMap<MarketSymbol, Priced>

export interface Account {
  readonly accountId: AccountId
  /** Chosen leverage by symbol. Other symbols use the instrument's maximum leverage. */
  readonly leverages: Map<MarketSymbol, number>
  readonly exposures: Map<MarketSymbol, Exposure>
  /** Limits as a liquidity provider, by symbol. Markets in which the account is not a provider are absent. */
  readonly providerLimits: Map<MarketSymbol, number>
  /** True if the user owns a builder code, whose rewards are credited to this account (rule 12.3). */
  isBuilder: boolean
  /** Sum of credits, deposits and incoming transfers, minus outgoing transfers and withdrawals (rule 8.5). */
  deposit: bigint
  /** Total referral rewards credited (rule 13.4). */
  referralRewards: bigint
  /** Number of resting orders plus in-flight placements that might rest, over all markets. */
  openOrders: number
  /** Totals as of the last `refresh`. */
  equity: bigint
  margin: bigint
}

export const make = (accountId: AccountId): Account => ({
  accountId,
  leverages: new Map(),
  exposures: new Map(),
  providerLimits: new Map(),
  isBuilder: false,
  deposit: 0n,
  referralRewards: 0n,
  openOrders: 0,
  equity: 0n,
  margin: 0n
})

/** Adds an amount, negative for a debit, to the deposits. */
export const deposit = (account: Account, amount: bigint): void => {
  account.deposit += amount
  account.equity += amount
}

export const reward = (account: Account, amount: bigint): void => {
  account.referralRewards += amount
  account.equity += amount
}

/** Updates the totals to the latest mark prices. Only markets that have changed are recomputed. */
export const refresh = (account: Account, prices: Prices): void => {
  for (const exposure of account.exposures.values()) refreshIn(account, exposure, prices)
}

/** Updates the totals on the assumption that only this exposure has changed since the last refresh. */
export const refreshIn = (account: Account, exposure: Exposure, prices: Prices): void => {
  const markE8 = prices.get(exposure.instrument.symbol)?.freshMarkE8 ?? 0
  if (!exposure.stale && exposure.markE8 === markE8) return
  const equity = exposure.equity
  const margin = exposure.positionMargin + exposure.orderMargin
  valueAt(exposure, markE8)
  const equityChange = exposure.equity - equity
  const marginChange = exposure.positionMargin + exposure.orderMargin - margin
  if (equityChange !== 0) account.equity += BigInt(equityChange)
  if (marginChange !== 0) account.margin += BigInt(marginChange)
}

/** Returns the balance for new orders. Only prices, funding and fees can make it negative (rule 8.8). Refresh first. */
export const available = (account: Account): bigint => account.equity - account.margin

/** Returns true if one of the account's positions has an open takeover, whose cost is fixed until it closes. */
export const isFrozen = ({ exposures }: Account): boolean => {
  for (const { frozen } of exposures.values()) if (frozen) return true
  return false
}

/**
 * Returns the balance (rule 8). Unrealised profit is never withdrawable, and no money is withdrawable while a
 * position is frozen (rule 8.9).
 */
export const balance = (account: Account, prices: Prices): Balance => {
  refresh(account, prices)
  let rewards = 0n
  const total = { realised: 0n, unrealised: 0n, funding: 0n, fees: 0n, orderMargin: 0n, positionMargin: 0n }
  for (const exposure of account.exposures.values()) {
    const { position } = exposure
    total.realised += BigInt(realised(position))
    total.unrealised += unrealised(position, BigInt(exposure.value))
    total.funding += BigInt(position.funding)
    total.fees += BigInt(position.fees)
    rewards += BigInt(position.rewards)
    total.orderMargin += BigInt(exposure.orderMargin)
    total.positionMargin += BigInt(exposure.positionMargin)
  }
  const free = available(account)
  const withoutProfit = total.unrealised > 0n ? free - total.unrealised : free
  return {
    accountId: account.accountId,
    deposit: account.deposit,
    ...total,
    builderRewards: account.isBuilder ? rewards : null,
    referralRewards: account.referralRewards,
    equity: account.equity,
    available: free,
    withdrawable: withoutProfit > 0n && !isFrozen(account) ? withoutProfit : 0n
  }
}

/** Returns the account's state in each market with a position, order or past trade. The quantity is 0 after a close. */
export const holdings = (account: Account, prices: Prices): ReadonlyArray<Holding> => {
  refresh(account, prices)
  const rows: Array<Holding> = []
  for (const [symbol, exposure] of account.exposures) {
    const { leverage, position, positionMargin, value } = exposure
    let openOrders = 0
    let openQuantityLots = 0
    for (const { order } of exposure.holds.values()) {
      if (order === undefined) continue
      openOrders++
      openQuantityLots += order.remainingLots
    }
    const isEmpty = position.quantityLots === 0 && realised(position) === 0 && position.funding === 0
    if (openOrders === 0 && isEmpty && !exposure.traded) continue
    rows.push({
      accountId: account.accountId,
      symbol,
      quantityLots: position.quantityLots,
      basis: position.basis,
      realised: realised(position),
      unrealised: unrealised(position, BigInt(value)),
      funding: position.funding,
      fees: position.fees,
      leverage,
      marginHeld: BigInt(positionMargin),
      openOrders,
      openQuantityLots
    })
  }
  return rows
}

/** Returns the symbols whose position is valued at its cost because no price is known. */
export const unpriced = (account: Account, prices: Prices): ReadonlyArray<string> =>
  [...account.exposures]
    .filter(([symbol, { position }]) => position.quantityLots !== 0 && !prices.has(symbol))
    .map(([symbol]) => symbol)
