/** What does not add up now, by its place: a place that is looked at again and found right is no fault any more. */

export interface Faults {
  readonly byPlace: Map<string, string>
}

export const make = (): Faults => ({ byPlace: new Map() })

/** A place was looked at; undefined where nothing is wrong there. */
export const looked = ({ byPlace }: Faults, place: string, fault: string | undefined): void => {
  if (fault === undefined) byPlace.delete(place)
  else if (byPlace.has(place) || byPlace.size < mostKept) byPlace.set(place, fault)
}

/** The first that is still wrong, and how many others are; null for none. */
export const told = ({ byPlace }: Faults): string | null => {
  const [first, ...others] = byPlace
  if (first === undefined) return null
  return `${first[0]}: ${first[1]}${others.length === 0 ? "" : `; and ${others.length} more`}`
}

/** Beyond this nobody learns more from one. */
const mostKept = 1_000
