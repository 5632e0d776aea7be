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

/** Applies an entry. Returns false for an entry that is older than the known one. */
export const take = ({ facts, rows }: WitnessState, entry: Entry): boolean => {
  if (entry._tag === "Row") {
    const before = rows.get(entry.row.stream)
    if (before !== undefined && isOlder(entry.row, before)) return false
    return put(rows, entry.row.stream, entry.row, maxRows)
  }
  if (entry._tag === "Owner") return false
  const { kind, number, subject } = entry.fact
  const key = `${kind} ${subject}`
  if ((facts.get(key)?.number ?? 0) > number) return false
  return put(facts, key, entry.fact, maxFacts)
}

export const entries = ({ facts, rows }: WitnessState): ReadonlyArray<Entry> => [
  ...Array.from(rows.values(), (row): Entry => ({ _tag: "Row", row })),
  ...Array.from(facts.values(), (fact): Entry => ({ _tag: "Fact", fact }))
]

/** A later epoch overrides a lower number: the owner of that epoch may have begun after a restore. */
const isOlder = (next: WitnessedRow, before: WitnessedRow): boolean =>
  next.epoch < before.epoch || (next.epoch === before.epoch && next.seq < before.seq)

const put = <A>(map: Map<string, A>, key: string, value: A, most: number): true => {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
  return true
}
