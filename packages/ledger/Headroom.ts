/**
 * Headroom of an account: how far marks can move before the account might be in liquidation (rule 9.1). The equity
 * above the maintenance margin is divided among the positions. No check is needed until a mark has passed the
 * threshold of its position.
 */
import { divideUp } from "@venue/domain/Decimal"
import { type Account, refresh, type Prices } from "./Account.ts"
import * as Exposure from "./Exposure.ts"
import { maintenanceMargin } from "./Liquidation.ts"

/**
 * Reports for each position the mark, in 1e-8 USD, at which the account must be checked again. The check is due at or
 * below the threshold for a long position, and at or above it for a short position. Without headroom or a price,
 * every mark is past the threshold.
 */
export const thresholds = (
  account: Account,
  prices: Prices,
  report: (exposure: Exposure.Exposure, markE8: number) => void
): void => {
  refresh(account, prices)
  // Liquidation starts as soon as equity equals the maintenance margin, so one unit is subtracted.
  const spare = account.equity - maintenanceMargin(account) - 1n
  const total = weights(account)
  for (const exposure of account.exposures.values()) {
    const { markE8, position } = exposure
    if (position.quantityLots === 0) continue
    const isLong = position.quantityLots > 0
    if (markE8 === 0) report(exposure, isLong ? Infinity : 0)
    else report(exposure, threshold(exposure, isLong, spare > 0n ? (spare * weight(exposure)) / total : 0n))
  }
}

function weights({ exposures }: Account): bigint {
  let total = 0n
  for (const exposure of exposures.values()) total += weight(exposure)
  return total
}

/** Returns a position's weight, never zero. The weights let all positions lose the same fraction of their value. */
function weight({ value }: Exposure.Exposure): bigint {
  return BigInt(Math.abs(value)) + 1n
}

/**
 * Returns the mark at which the value minus the maintenance margin has dropped by more than `mayLose`. Both amounts
 * are rounded by less than one unit, so a reserve of two units covers the exact values.
 */
function threshold(exposure: Exposure.Exposure, isLong: boolean, mayLose: bigint): number {
  const { leverage, position, valuation, value } = exposure
  const thirds = 3n * BigInt(leverage)
  const least = BigInt(value) - BigInt(Exposure.maintenanceMargin(exposure)) + 2n - mayLose
  const perMark = BigInt(Math.abs(position.quantityLots) * valuation.factor) * (isLong ? thirds - 2n : thirds + 2n)
  const scale = thirds * BigInt(valuation.divisor)
  if (isLong) return least > 0n ? Number(divideUp(least * scale, perMark) - 1n) : 0
  return least < 0n ? Number((-least * scale) / perMark + 1n) : 0
}
