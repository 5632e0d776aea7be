/**
 * What a connection asked of several symbols at once has a place in each of their lanes. Its turn comes when it is first
 * in all of them, and what came after it waits until it leaves.
 */
import * as Lane from "./Lane.ts"

interface Crossing {
  readonly id: string
  /** Of all symbols: of those too that get a lane while it is here. */
  readonly isOfAll: boolean
  readonly lanes: Array<Lane.Lane>
  /** Lanes in which something is still before it. */
  behind: number
  readonly start: () => void
  hasStarted: boolean
}

/** By id, in the order in which they came. */
export type Crossings = Map<string, Crossing>

export const make = (): Crossings => new Map()

/** `start` is called once, when its turn has come: at once when nothing is before it. */
export const enter = (
  crossings: Crossings,
  id: string,
  lanes: Iterable<Lane.Lane>,
  isOfAll: boolean,
  start: () => void
): void => {
  // One more than there are, so that it does not start before it is in all of them.
  const crossing: Crossing = { id, isOfAll, lanes: [], behind: 1, start, hasStarted: false }
  crossings.set(id, crossing)
  for (const lane of lanes) join(crossing, lane)
  advance(crossing)
}

/** A lane that is new: what is asked of all symbols is before everything else in it. */
export const extend = (crossings: Crossings, lane: Lane.Lane): void => {
  for (const crossing of crossings.values()) if (crossing.isOfAll) join(crossing, lane)
}

export const leave = (crossings: Crossings, id: string, send: (text: string) => void): void => {
  const lanes = crossings.get(id)?.lanes ?? []
  crossings.delete(id)
  for (const lane of lanes) Lane.answer(lane, id, "", send)
}

const join = (crossing: Crossing, lane: Lane.Lane): void => {
  crossing.lanes.push(lane)
  crossing.behind++
  Lane.ask(lane, crossing.id, "", () => advance(crossing))
}

const advance = (crossing: Crossing): void => {
  crossing.behind--
  if (crossing.behind > 0 || crossing.hasStarted) return
  crossing.hasStarted = true
  crossing.start()
}
