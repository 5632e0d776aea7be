/**
 * How far marks may move before an account can be in liquidation (rule 9.1). What its equity is above the maintenance margin
 * is shared out among its positions: while no mark has gone further than its own share allows, nothing can have happened,
 * and nobody needs to look.
 */
import { divideUp } from "@venue/domain/Decimal"
import { type Account, refresh, type Prices } from "./Account.ts"
import * as Exposure from "./Exposure.ts"
import { maintenanceMargin } from "./Liquidation.ts"

/**
 * Tells for each position the mark, in 1e-8 USD, at which to look again: a long at it or below, a short at it or above.
 * Where there is nothing to share out, that is any mark; so it is for a position without a price.
 */
export const thresholds = (
  account: Account,
  prices: Prices,
  tell: (exposure: Exposure.Exposure, markE8: number) => void
): void => {
  refresh(account, prices)
  // At the maintenance margin itself it is too late.
  const spare = account.equity - maintenanceMargin(account) - 1n
  const total = weights(account)
  for (const exposure of account.exposures.values()) {
    const { markE8, position } = exposure
    if (position.quantityLots === 0) continue
    const isLong = position.quantityLots > 0
    if (markE8 === 0) tell(exposure, isLong ? Infinity : 0)
    else tell(exposure, threshold(exposure, isLong, spare > 0n ? (spare * weight(exposure)) / total : 0n))
  }
}

function weights({ exposures }: Account): bigint {
  let total = 0n
  for (const exposure of exposures.values()) total += weight(exposure)
  return total
}

/** Every position may lose the same part of what it is worth; a weight is never zero. */
function weight({ value }: Exposure.Exposure): bigint {
  return BigInt(Math.abs(value)) + 1n
}

/**
 * Where value less maintenance margin has become less than now by more than this. Each of the two is rounded by less than
 * one, so what is exact stays within it if it stays two above.
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
