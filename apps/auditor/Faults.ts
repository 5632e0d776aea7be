/** Differences that an audit found, by place. A difference is a fault once a second read has found it too. */
import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Reads a place again, in another snapshot. Returns the difference, or undefined where there is none. */
export type SecondRead = Effect.Effect<string | undefined, SqlError>

export interface Faults {
  /** Differences that two reads found. */
  readonly confirmed: Map<string, string>
  /** Differences that one read found; the second read is due. */
  readonly suspected: Map<string, SecondRead>
}

export const make = (): Faults => ({ confirmed: new Map(), suspected: new Map() })

/** Records what a read of a place found; `fault` is undefined where nothing is wrong. */
export const looked = (
  { confirmed, suspected }: Faults,
  place: string,
  fault: string | undefined,
  secondRead: SecondRead
): void => {
  if (fault === undefined) {
    confirmed.delete(place)
    suspected.delete(place)
  } else if (confirmed.has(place)) confirmed.set(place, fault)
  else if (suspected.has(place) || suspected.size < mostKept) suspected.set(place, secondRead)
}

/** Records what the second read of a suspected place found. */
export const lookedAgain = ({ confirmed, suspected }: Faults, place: string, fault: string | undefined): void => {
  suspected.delete(place)
  if (fault !== undefined && confirmed.size < mostKept) confirmed.set(place, fault)
}

/** Returns the first confirmed fault and the number of others; null for none. */
export const told = ({ confirmed }: Faults): string | null => {
  const [first, ...others] = confirmed
  if (first === undefined) return null
  return `${first[0]}: ${first[1]}${others.length === 0 ? "" : `; and ${others.length} more`}`
}

/** Limit of each list: one confirmed fault is enough to halt the venue. */
const mostKept = 1_000
