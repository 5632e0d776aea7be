/** One account of a user: its own cash, and what it has at stake in each market. */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { realised, unrealised } from "@venue/domain/Position"
import type { Priced } from "@venue/domain/Market"
import type { Balance, Holding } from "@venue/domain/Balance"
import { type Exposure, reckon } from "./Exposure.ts"

/** All traders of a desk share the latest `Priced` of each market; the trader does not own them. */
export type Prices = ReadonlyMap<MarketSymbol, Priced>

export interface Account {
  readonly accountId: AccountId
  /** Levels stand by symbol where one was chosen; elsewhere the instrument's maximum holds. */
  readonly leverages: Map<MarketSymbol, number>
  readonly exposures: Map<MarketSymbol, Exposure>
  /** As a liquidity provider it takes over positions up to these values, in 1e-6 USD above zero; nothing elsewhere. */
  readonly providerLimits: Map<MarketSymbol, number>
  /** Its user owns a builder code, and it is credited what that earns (rule 12.3). */
  isBuilder: boolean
  /** Credits and transfers count here, in and out. */
  deposit: bigint
  /** Credited for those whom the user has brought (rule 13.4). */
  referralRewards: bigint
  /** Counts orders and placements on their way, as far as they may rest, over all markets. */
  openOrders: number
  /** The totals are as fresh as the last `refresh`. */
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

export const deposit = (account: Account, amount: bigint): void => {
  account.deposit += amount
  account.equity += amount
}

export const reward = (account: Account, amount: bigint): void => {
  account.referralRewards += amount
  account.equity += amount
}

/** Brings the totals to the latest marks; only markets where something changed cost anything. */
export const refresh = (account: Account, prices: Prices): void => {
  for (const exposure of account.exposures.values()) refreshIn(account, exposure, prices)
}

/** The same where nothing but this may have changed since the last time. */
export const refreshIn = (account: Account, exposure: Exposure, prices: Prices): void => {
  const markE8 = prices.get(exposure.instrument.symbol)?.freshMarkE8 ?? 0
  if (!exposure.stale && exposure.markE8 === markE8) return
  const equity = exposure.equity
  const margin = exposure.positionMargin + exposure.orderMargin
  reckon(exposure, markE8)
  const equityChange = exposure.equity - equity
  const marginChange = exposure.positionMargin + exposure.orderMargin - margin
  if (equityChange !== 0) account.equity += BigInt(equityChange)
  if (marginChange !== 0) account.margin += BigInt(marginChange)
}

/** Money that new orders may use; below zero through prices, funding and fees only. Refresh first. */
export const available = (account: Account): bigint => account.equity - account.margin

/** Says whether a takeover of one of its positions is open: what that costs is fixed, whatever marks do until it closes. */
export const isFrozen = ({ exposures }: Account): boolean => {
  for (const { frozen } of exposures.values()) if (frozen) return true
  return false
}

/** Gives all that rule 8 names. Profit that is not realised cannot be withdrawn, nor anything while a position is frozen. */
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
  const sure = total.unrealised > 0n ? free - total.unrealised : free
  return {
    accountId: account.accountId,
    deposit: account.deposit,
    ...total,
    builderRewards: account.isBuilder ? rewards : null,
    referralRewards: account.referralRewards,
    equity: account.equity,
    available: free,
    withdrawable: sure > 0n && !isFrozen(account) ? sure : 0n
  }
}

/** Markets where the account holds, has ordered or has ever traded: a position just closed stays, with quantity 0. */
export const holdings = (account: Account, prices: Prices): ReadonlyArray<Holding> => {
  refresh(account, prices)
  const found: Array<Holding> = []
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
    found.push({
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
  return found
}

/** The positions of these symbols are valued at their cost because no price is known. */
export const unpriced = (account: Account, prices: Prices): ReadonlyArray<string> =>
  [...account.exposures]
    .filter(([symbol, { position }]) => position.quantityLots !== 0 && !prices.has(symbol))
    .map(([symbol]) => symbol)
