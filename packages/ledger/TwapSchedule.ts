/**
 * When the slices of a TWAP are due and how large each is (rule 16.3, rule 16.4). A slice may be placed until the next one
 * is due, and is skipped then; what was not filled is spread over those that are left.
 */
import type { Twap, TwapTerms } from "@venue/domain/Twap"

/** What is to be done at a moment: a slice is due, another comes later, or all have come. */
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

/** Slices are numbered from 1 on. */
export const dueMillis = ({ intervalMillis, startMillis }: TwapTerms, slice: number): number =>
  startMillis + (slice - 1) * intervalMillis

type Parts = Pick<TwapTerms, "slices" | "totalLots">

/** All slices but the last are so large while nothing is missing. */
export const evenLots = ({ slices, totalLots }: Parts): number => Math.floor(totalLots / slices)

/** The last one is so large then: it has what the others cannot share evenly. */
export const lastLots = (parts: Parts): number => parts.totalLots - evenLots(parts) * (parts.slices - 1)

/** A slice takes its part of what those before it left, and the last all of it, within the most that one may have. */
export const lotsOf = (twap: Twap, slice: number, maxLots: number): number => {
  const { filledLots, slices, totalLots } = twap
  const even = evenLots(twap)
  if (slice === slices) return Math.min(totalLots - filledLots, Math.max(mostTimesEven * even, lastLots(twap)), maxLots)
  const missing = even * (slice - 1) - filledLots
  return Math.min(even + Math.floor(missing / (slices - slice + 1)), mostTimesEven * even, maxLots)
}

/** Nothing is spread beyond this. */
const mostTimesEven = 3

/** Gives the slice whose turn it is: 0 before the first, and one more than there are after the last. */
function sliceAt({ intervalMillis, slices, startMillis }: TwapTerms, atMillis: number): number {
  return Math.min(slices, Math.floor((atMillis - startMillis) / intervalMillis)) + 1
}
