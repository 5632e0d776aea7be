/** How near an account is to liquidation: its equity against the maintenance margin of its positions (rule 9). */
import { type Account, available } from "./Account.ts"
import * as Exposure from "./Exposure.ts"

/** Gives what the account must keep, in 1e-6 USD, as of the last refresh. */
export const maintenanceMargin = (account: Account): bigint => {
  let total = 0n
  for (const exposure of account.exposures.values()) total += BigInt(Exposure.maintenanceMargin(exposure))
  return total
}

/** Says whether equity has come down to the maintenance margin. Refresh first. */
export const isInLiquidation = (account: Account): boolean => {
  // The maintenance margin is two thirds of the initial one, so while something is available it is not reached.
  if (available(account) > 0n) return false
  const margin = maintenanceMargin(account)
  return margin > 0n && account.equity <= margin
}
