/** Content of a witness: the newest row of each stream, and the newest restriction of each user and key. */
import type { WitnessedFact, WitnessedRow } from "@venue/domain/Recovery"
import type { Entry } from "./WitnessLine.ts"

export interface WitnessState {
  /** In the order of the last change, the oldest first. */
  readonly rows: Map<string, WitnessedRow>
  readonly facts: Map<string, WitnessedFact>
}

/** Maximum numbers. At the limit, a new entry replaces the entry that has not changed for the longest time. */
export const maxRows = 200_000
export const maxFacts = 50_000

export const make = (): WitnessState => ({ rows: new Map(), facts: new Map() })

/**
 * Returns whether an entry is newer than the known one. Epochs do not count: a row of a later epoch with a known number is
 * written after a failover that lost rows, and must not replace the evidence of the loss.
 */
export const isNew = ({ facts, rows }: WitnessState, entry: Entry): boolean => {
  if (entry._tag === "Row") return (rows.get(entry.row.stream)?.seq ?? 0) < entry.row.seq
  return entry._tag === "Fact" && (facts.get(keyOf(entry.fact))?.number ?? 0) <= entry.fact.number
}

/** Applies an entry if it is new. */
export const take = (state: WitnessState, entry: Entry): void => {
  if (!isNew(state, entry)) return
  if (entry._tag === "Row") put(state.rows, entry.row.stream, entry.row, maxRows)
  if (entry._tag === "Fact") put(state.facts, keyOf(entry.fact), entry.fact, maxFacts)
}

export const entries = ({ facts, rows }: WitnessState): ReadonlyArray<Entry> => [
  ...Array.from(rows.values(), (row): Entry => ({ _tag: "Row", row })),
  ...Array.from(facts.values(), (fact): Entry => ({ _tag: "Fact", fact }))
]

const keyOf = ({ kind, subject }: WitnessedFact): string => `${kind} ${subject}`

const put = <A>(map: Map<string, A>, key: string, value: A, most: number): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}
