/** Independent implementation of limit changes. */
import { positionLimitUsd } from "@venue/domain/Leverage"
import type { SetLimits } from "@venue/domain/Limits"
import type { Emit } from "./TwinMatch.ts"
import type { Twin } from "./TwinState.ts"

export const setLimits = (twin: Twin, { _tag, ...limits }: SetLimits, nowMillis: number, emit: Emit): void => {
  if (twin.letsIn === "IN_SETTLEMENT" || twin.letsIn === "DELISTED") return
  const { instrument } = twin
  const before = [
    instrument.minQuantityLots,
    instrument.maxQuantityLots,
    positionLimitUsd(instrument),
    instrument.openInterestLimitUsd ?? 10 * positionLimitUsd(instrument)
  ]
  const { maxQuantityLots, minQuantityLots, openInterestUsd, positionUsd } = limits
  if (before.join() === [minQuantityLots, maxQuantityLots, positionUsd, openInterestUsd].join()) return
  twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
  twin.instrument = {
    ...instrument,
    minQuantityLots,
    maxQuantityLots,
    positionLimitUsd: positionUsd,
    openInterestLimitUsd: openInterestUsd
  }
  emit({ _tag: "LimitsSet", ...limits, atMillis: twin.timeMillis })
}
