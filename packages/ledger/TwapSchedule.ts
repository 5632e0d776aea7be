/**
 * Schedule of a TWAP: due time and size of each slice (rule 16.3, rule 16.4). A slice may be placed until the next one
 * is due and is skipped afterwards; unfilled lots are spread over the remaining slices.
 */
import type { Twap, TwapTerms } from "@venue/domain/Twap"

/** Step at a moment: place a slice, wait for the next one, or nothing because all slices are over. */
export type Step =
  | { readonly _tag: "Slice"; readonly slice: number; readonly lots: number }
  | { readonly _tag: "Wait"; readonly untilMillis: number }
  | { readonly _tag: "Over" }

/** Returns the step at a moment. */
export const stepAt = (twap: Twap, maxLots: number, atMillis: number): Step => {
  const { lastSlice, slices } = twap
  const slice = sliceAt(twap, atMillis)
  if (lastSlice >= slices || slice > slices) return { _tag: "Over" }
  return slice > lastSlice
    ? { _tag: "Slice", slice, lots: lotsOf(twap, slice, maxLots) }
    : { _tag: "Wait", untilMillis: dueMillis(twap, lastSlice + 1) }
}

/** Returns the due time of a slice, counted from 1. */
export const dueMillis = ({ intervalMillis, startMillis }: TwapTerms, slice: number): number =>
  startMillis + (slice - 1) * intervalMillis

type Parts = Pick<TwapTerms, "slices" | "totalLots">

/** Returns the size of every slice but the last if nothing is missing. */
export const evenLots = ({ slices, totalLots }: Parts): number => Math.floor(totalLots / slices)

/** Returns the size of the last slice if nothing is missing: an even part plus the indivisible remainder. */
export const lastLots = (parts: Parts): number => parts.totalLots - evenLots(parts) * (parts.slices - 1)

/**
 * Returns the size of a slice: an even part plus its part of the lots missing so far (for the last slice, all of them),
 * capped at three even parts and at the maximum order quantity (rule 16.4).
 */
export const lotsOf = (twap: Twap, slice: number, maxLots: number): number => {
  const { filledLots, slices, totalLots } = twap
  const even = evenLots(twap)
  if (slice === slices) return Math.min(totalLots - filledLots, Math.max(maxEvenParts * even, lastLots(twap)), maxLots)
  const missing = even * (slice - 1) - filledLots
  return Math.min(even + Math.floor(missing / (slices - slice + 1)), maxEvenParts * even, maxLots)
}

/** Maximum size of a slice in even parts. */
const maxEvenParts = 3

/** Returns the current slice: 0 before the first is due, `slices + 1` after the last has passed. */
function sliceAt({ intervalMillis, slices, startMillis }: TwapTerms, atMillis: number): number {
  return Math.min(slices, Math.floor((atMillis - startMillis) / intervalMillis)) + 1
}
