/**
 * What a connection asked of several symbols at once is an entry in each of their reply queues. Its turn comes when it is first
 * in all of them, and what came after it waits until it leaves.
 */
import * as ReplyQueue from "./ReplyQueue.ts"

interface ReplyBarrier {
  readonly id: string
  /** It concerns those symbols too that get a queue while it is here. */
  readonly isOfAll: boolean
  readonly queues: Array<ReplyQueue.ReplyQueue>
  /** It counts the queues in which something is still before it. */
  behind: number
  readonly start: () => void
  hasStarted: boolean
}

/** They are kept by id, in the order in which they came. */
export type ReplyBarriers = Map<string, ReplyBarrier>

export const make = (): ReplyBarriers => new Map()

/** `start` is called once, when its turn has come: at once when nothing is before it. */
export const enter = (
  barriers: ReplyBarriers,
  id: string,
  queues: Iterable<ReplyQueue.ReplyQueue>,
  isOfAll: boolean,
  start: () => void
): void => {
  // One more than there are, so that it does not start before it is in all of them.
  const barrier: ReplyBarrier = { id, isOfAll, queues: [], behind: 1, start, hasStarted: false }
  barriers.set(id, barrier)
  for (const queue of queues) join(barrier, queue)
  advance(barrier)
}

/** In a queue that is new, what is asked of all symbols is before everything else. */
export const extend = (barriers: ReplyBarriers, queue: ReplyQueue.ReplyQueue): void => {
  for (const barrier of barriers.values()) if (barrier.isOfAll) join(barrier, queue)
}

export const leave = (barriers: ReplyBarriers, id: string, send: (text: string) => void): void => {
  const queues = barriers.get(id)?.queues ?? []
  barriers.delete(id)
  for (const queue of queues) ReplyQueue.answer(queue, id, "", send)
}

const join = (barrier: ReplyBarrier, queue: ReplyQueue.ReplyQueue): void => {
  barrier.queues.push(queue)
  barrier.behind++
  ReplyQueue.ask(queue, barrier.id, "", () => advance(barrier))
}

const advance = (barrier: ReplyBarrier): void => {
  barrier.behind--
  if (barrier.behind > 0 || barrier.hasStarted) return
  barrier.hasStarted = true
  barrier.start()
}
