/** Sends items to one target in ordered batches. Items that arrive while a batch is in flight join the next batch. */

export interface Batcher<A> {
  /** Queues an item. Returns false when the queue is full. */
  readonly push: (item: A) => boolean
  /** Removes the queued items that match, and returns them in order. */
  readonly takeOut: (isWanted: (item: A) => boolean) => ReadonlyArray<A>
  /** Returns the number of items that are queued or in flight. */
  readonly size: () => number
}

export interface Options<A> {
  /**
   * Sends a batch and calls `done` once. After `done(false, left)`, all in-flight batches are sent again in order. Only the failed batch's items in `left` are sent again, or all items if `left` is omitted.
   */
  readonly send: (items: ReadonlyArray<A>, done: (isDone: boolean, left?: ReadonlyArray<A>) => void) => void
  /** Whether a failed item is sent again. Defaults to true. */
  readonly isRetried?: (item: A) => boolean
  /** Delays a batch, so that later items join it. */
  readonly gather: (send: () => void) => void
  /** Delays a retry. Defaults to `gather`. */
  readonly pause?: (again: () => void) => void
  /** Whether a batch is allowed to be sent while another one is in flight. Defaults to false. */
  readonly mayOverlap?: () => boolean
}

export const make = <A>({ gather, isRetried, mayOverlap = never, pause = gather, send }: Options<A>): Batcher<A> => {
  let waiting: Array<A> = []
  let inFlight: Array<ReadonlyArray<A>> = []
  let isGathering = false
  let isPausing = false
  /** Number of consecutive failures. Responses to batches sent before the last failure are ignored. */
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
    waiting = [...(isRetried === undefined ? failed : failed.filter(isRetried)), ...waiting]
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
    size: () => inFlight.reduce((sum, batch) => sum + batch.length, waiting.length),
    takeOut: (isWanted) => {
      const taken = waiting.filter(isWanted)
      if (taken.length > 0) waiting = waiting.filter((item) => !isWanted(item))
      return taken
    }
  }
}

/** Queue limit for one target. Further items are refused at once. */
const maxWaiting = 100_000
const maxBatch = 4_096
const never = () => false
