/** How near accounts are to liquidation: their equity against the maintenance margin of their positions (rule 9). */
import { type Account, available, refresh } from "./Account.ts"
import * as Exposure from "./Exposure.ts"
import type { Trader } from "./Trader.ts"

/** Says whether equity has come down to the maintenance margin (rule 9.1). Refresh first. */
export const isInLiquidation = (account: Account): boolean => {
  // The maintenance margin is two thirds of the initial one, so while something is available it is not reached.
  if (available(account) > 0n) return false
  const margin = maintenanceMargin(account)
  return margin > 0n && account.equity <= margin
}

/** Counts the accounts of a trader that are in liquidation, and those that are warned of it (rule 9.2). */
export const atRisk = (trader: Trader): { readonly warned: number; readonly inLiquidation: number } => {
  let warned = 0
  let inLiquidation = 0
  for (const account of trader.accounts.values()) {
    refresh(account, trader.prices)
    if (isInLiquidation(account)) inLiquidation++
    else if (isWarned(account)) warned++
  }
  return { warned, inLiquidation }
}

/** Equity is at most a fifth above the maintenance margin. */
function isWarned(account: Account): boolean {
  const margin = maintenanceMargin(account)
  return margin > 0n && 5n * account.equity <= 6n * margin
}

/** Gives what the account must keep, in 1e-6 USD, as of the last refresh. */
function maintenanceMargin(account: Account): bigint {
  let total = 0n
  for (const exposure of account.exposures.values()) total += BigInt(Exposure.maintenanceMargin(exposure))
  return total
}
