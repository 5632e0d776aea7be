/**
 * Alternating measurement of two checkouts with the same load client. `ours` is the newer checkout, and `theirs` is
 * the older one.
 */
import { type Checkout, ours } from "./Checkout.ts"
import type { Goal, Round, Row } from "./Report.ts"

export type Side = "ours" | "theirs"

export type Pair<A> = Readonly<Record<Side, A>>

export const pairOf = (theirs: Checkout): Pair<Checkout> => ({ ours, theirs })

export const both = async <A, B>(pair: Pair<A>, make: (one: A, side: Side) => Promise<B>): Promise<Pair<B>> => {
  const newer = await make(pair.ours, "ours")
  return { ours: newer, theirs: await make(pair.theirs, "theirs") }
}

/**
 * Returns a round's measuring order, which alternates so that a drift of the machine's speed favours neither
 * checkout.
 */
export const order = (index: number): ReadonlyArray<Side> => (index % 2 === 0 ? ["ours", "theirs"] : ["theirs", "ours"])

/** Runs the rounds and returns their figures. Round 0 only warms up both checkouts and is excluded. */
export const alternated = async <A>(
  rounds: number,
  measure: (side: Side, index: number) => Promise<A>,
  first: 0 | 1 = 0
): Promise<ReadonlyArray<Pair<A>>> => {
  const found: Array<Pair<A>> = []
  for (let index = first; index <= rounds; index++) {
    const pair: Partial<Record<Side, A>> = {}
    for (const side of order(index)) pair[side] = await measure(side, index)
    if (index > 0) found.push(pair as Pair<A>)
  }
  return found
}

/** Returns new / old, or old / new if lower figures are better. A ratio above 1 means that this checkout is better. */
export const ratio = (better: Goal["better"], { ours, theirs }: Pair<number>): Round => ({
  venue: ours,
  anchor: theirs,
  ratio: better === "higher" ? ours / theirs : theirs / ours
})

export interface Found {
  readonly figure: number
  readonly void?: string | undefined
}

export const row = (
  what: Pick<Row, "name" | "unit"> & { readonly better: Goal["better"]; readonly against: string },
  found: ReadonlyArray<Pair<Found>>,
  notes: ReadonlyArray<string> = []
): Row => ({
  name: what.name,
  unit: what.unit,
  anchor: what.against,
  goal: null,
  rounds: found.map(({ ours, theirs }) => {
    const one = ratio(what.better, { ours: ours.figure, theirs: theirs.figure })
    const faults = Object.entries({ ours, theirs }).flatMap(([side, { void: why }]) =>
      why === undefined ? [] : [`${side}: ${why}`]
    )
    return faults.length === 0 ? one : { ...one, void: faults.join("; ") }
  }),
  notes: [
    `${what.better === "higher" ? "new over old" : "old over new, since less is better"}: above 1 is better`,
    ...notes
  ]
})
