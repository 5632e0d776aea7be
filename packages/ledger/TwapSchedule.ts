/**
 * Schedule of a TWAP: due time and size of each slice (rule 16.3, rule 16.4). A slice can be placed until the next
 * slice is due; after that, it is skipped. Unfilled lots are spread over the remaining slices.
 */
import type { Twap, TwapTerms } from "@venue/domain/Twap"

/** Action at a given time: place a slice, wait for the next slice, or nothing because all slices are over. */
export type Step =
  | { readonly _tag: "Slice"; readonly slice: number; readonly lots: number }
  | { readonly _tag: "Wait"; readonly untilMillis: number }
  | { readonly _tag: "Over" }

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

/** Returns the size of every slice but the last, in lots, if no lots are missing. */
export const evenLots = ({ slices, totalLots }: Parts): number => Math.floor(totalLots / slices)

/** Returns the size of the last slice, in lots, if no lots are missing: an even part plus the indivisible remainder. */
export const lastLots = (parts: Parts): number => parts.totalLots - evenLots(parts) * (parts.slices - 1)

/**
 * Returns a slice's size in lots: an even part plus a share of the lots that earlier slices left unfilled. The last
 * slice has all missing lots. The size is capped at three even parts and at the maximum order quantity (rule 16.4).
 */
export const lotsOf = (twap: Twap, slice: number, maxLots: number): number => {
  const { filledLots, slices, totalLots } = twap
  const even = evenLots(twap)
  if (slice === slices) return Math.min(totalLots - filledLots, Math.max(maxEvenParts * even, lastLots(twap)), maxLots)
  const missing = even * (slice - 1) - filledLots
  return Math.min(even + Math.floor(missing / (slices - slice + 1)), maxEvenParts * even, maxLots)
}

/** Maximum size of a slice, as a multiple of an even part. */
const maxEvenParts = 3

/** Returns the current slice: 0 before the first is due, `slices + 1` after the last has passed. */
function sliceAt({ intervalMillis, slices, startMillis }: TwapTerms, atMillis: number): number {
  return Math.min(slices, Math.floor((atMillis - startMillis) / intervalMillis)) + 1
}
