/** What a node has for one target travels together and in order; what comes while a batch is on its way goes with the next. */

export interface Batcher<A> {
  /** False when too many wait already, and it was not taken. */
  readonly push: (item: A) => boolean
  /** Those that wait here no longer, in their order. */
  readonly takeOut: (isTaken: (item: A) => boolean) => ReadonlyArray<A>
}

export interface Options<A> {
  /**
   * Sends a batch. `done` is called once: with false, all that is on its way is sent again, in its order, and of this batch
   * what is left; unless told, that is all of it.
   */
  readonly send: (items: ReadonlyArray<A>, done: (isDone: boolean, left?: ReadonlyArray<A>) => void) => void
  /** Whether what failed is still to be sent again; it is, unless told. */
  readonly isWanted?: (item: A) => boolean
  /** How long to gather before a batch leaves. */
  readonly gather: (send: () => void) => void
  /** How long to wait before what failed is sent again; unless told, as long as to gather. */
  readonly pause?: (again: () => void) => void
  /** Whether a batch may leave while another is on its way; never, unless told. */
  readonly mayOverlap?: () => boolean
}

export const make = <A>({ gather, isWanted, mayOverlap = never, pause = gather, send }: Options<A>): Batcher<A> => {
  let waiting: Array<A> = []
  let inFlight: Array<ReadonlyArray<A>> = []
  let isGathering = false
  let isPausing = false
  /** Answers to what was sent before a failure are stale. */
  let round = 0

  const leave = () => {
    isGathering = false
    if (waiting.length === 0 || isPausing || (inFlight.length > 0 && !mayOverlap())) return
    const batch = waiting.length <= maxBatch ? waiting : waiting.slice(0, maxBatch)
    waiting = waiting.length <= maxBatch ? [] : waiting.slice(maxBatch)
    inFlight.push(batch)
    const mine = round
    send(batch, (isDone, left = batch) => {
      if (mine !== round) return
      inFlight.splice(inFlight.indexOf(batch), 1, ...(isDone ? [] : [left]))
      if (!isDone) takeBack()
      start()
    })
    start()
  }
  const takeBack = () => {
    round++
    const failed = inFlight.flat()
    waiting = [...(isWanted === undefined ? failed : failed.filter(isWanted)), ...waiting]
    inFlight = []
    isPausing = true
    pause(() => {
      isPausing = false
      start()
    })
  }
  const start = () => {
    if (isGathering || isPausing || waiting.length === 0) return
    isGathering = true
    gather(leave)
  }
  return {
    push: (item) => {
      if (waiting.length >= maxWaiting) return false
      waiting.push(item)
      start()
      return true
    },
    takeOut: (isTaken) => {
      const taken = waiting.filter(isTaken)
      if (taken.length > 0) waiting = waiting.filter((item) => !isTaken(item))
      return taken
    }
  }
}

/** More than this waiting for one target is refused at once. */
const maxWaiting = 100_000
/** One call carries at most so many; the rest goes with the next. */
const maxBatch = 4_096
const never = () => false
