/**
 * Differences that audits detected, each under the name of the compared data (the place). A difference becomes a
 * fault once a second read confirms it.
 */
import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { RowPlace } from "./Stream.ts"

/** Result of a comparison with a row whose balances are no longer kept. */
export const notKnown: unique symbol = Symbol("not known")

/** Result of a comparison: the difference, undefined for equal values, or `notKnown`. */
export type Finding = string | undefined | typeof notKnown

/** Reads a place again, in another snapshot. */
export type SecondRead = Effect.Effect<Finding, SqlError>

export interface Suspicion {
  readonly secondRead: SecondRead
  /** Rows whose balances the second read needs. */
  readonly rows: ReadonlyArray<RowPlace>
}

export interface Faults {
  /** Differences that two reads confirmed. */
  readonly confirmed: Map<string, string>
  /** Differences that one read detected and whose second read is pending. */
  readonly suspected: Map<string, Suspicion>
}

export const make = (): Faults => ({ confirmed: new Map(), suspected: new Map() })

/** Records a place's first read. A place that could not be compared keeps its state. */
export const record = (
  { confirmed, suspected }: Faults,
  place: string,
  finding: Finding,
  secondRead: SecondRead,
  rows: ReadonlyArray<RowPlace> = []
): void => {
  if (finding === notKnown) return
  if (finding === undefined) {
    confirmed.delete(place)
    suspected.delete(place)
  } else if (confirmed.has(place)) confirmed.set(place, finding)
  else if (suspected.has(place) || suspected.size < mostKept) suspected.set(place, { secondRead, rows })
}

/** Records a suspected place's second read. A place that could not be compared stays suspected, behind the others. */
export const recordSecondRead = ({ confirmed, suspected }: Faults, place: string, finding: Finding): void => {
  const suspicion = suspected.get(place)
  suspected.delete(place)
  if (finding === notKnown) {
    if (suspicion !== undefined) suspected.set(place, suspicion)
  } else if (finding !== undefined && confirmed.size < mostKept) confirmed.set(place, finding)
}

export const isFound = ({ confirmed, suspected }: Faults, place: string): boolean =>
  confirmed.has(place) || suspected.has(place)

/** Returns the rows whose balances are needed for the pending second reads. */
export const neededRows = ({ suspected }: Faults): ReadonlyArray<RowPlace> =>
  [...suspected.values()].flatMap(({ rows }) => rows)

/** Returns the first confirmed fault and the number of further ones, or null if no fault is confirmed. */
export const summary = ({ confirmed }: Faults): string | null => {
  const [first, ...others] = confirmed
  if (first === undefined) return null
  return `${first[0]}: ${first[1]}${others.length === 0 ? "" : `; and ${others.length} more`}`
}

/** Maximum number of entries in each list. More are not needed: one confirmed fault is enough to halt the venue. */
const mostKept = 1_000
