/**
 * Requests about several symbols. A barrier is an entry in each symbol's reply queue. It starts when it is at the
 * head of all these queues, and holds back later replies until it is removed.
 */
import * as ReplyQueue from "./ReplyQueue.ts"

interface ReplyBarrier {
  readonly id: string
  /** True for a request about all symbols, whose barrier is also added to queues that are created while it waits. */
  readonly isOfAll: boolean
  readonly queues: Array<ReplyQueue.ReplyQueue>
  /** Number of queues in which the barrier is not yet at the head. */
  behind: number
  readonly start: () => void
  hasStarted: boolean
}

/** Barriers by command id, in order of arrival. */
export type ReplyBarriers = Map<string, ReplyBarrier>

export const make = (): ReplyBarriers => new Map()

/** Adds a barrier to the queues. Calls `start` once, when every earlier request in the queues is answered. */
export const enter = (
  barriers: ReplyBarriers,
  {
    id,
    isOfAll,
    queues,
    start
  }: Pick<ReplyBarrier, "id" | "isOfAll" | "start"> & {
    readonly queues: Iterable<ReplyQueue.ReplyQueue>
  }
): void => {
  // The extra 1 keeps the barrier from starting before it is in all of the queues.
  const barrier: ReplyBarrier = { id, isOfAll, queues: [], behind: 1, start, hasStarted: false }
  barriers.set(id, barrier)
  for (const queue of queues) join(barrier, queue)
  advance(barrier)
}

/** Adds the barriers of all-symbol requests to a new queue, before any command. */
export const extend = (barriers: ReplyBarriers, queue: ReplyQueue.ReplyQueue): void => {
  for (const barrier of barriers.values()) if (barrier.isOfAll) join(barrier, queue)
}

/** Removes a barrier from its queues, which releases the replies behind it. Does nothing for an unknown id. */
export const leave = (barriers: ReplyBarriers, id: string): void => {
  const queues = barriers.get(id)?.queues ?? []
  barriers.delete(id)
  for (const queue of queues) ReplyQueue.answer(queue, id, "")
}

const join = (barrier: ReplyBarrier, queue: ReplyQueue.ReplyQueue): void => {
  barrier.queues.push(queue)
  barrier.behind++
  ReplyQueue.enqueueQuery(queue, { commandId: barrier.id, request: "", start: () => advance(barrier) })
}

const advance = (barrier: ReplyBarrier): void => {
  barrier.behind--
  if (barrier.behind > 0 || barrier.hasStarted) return
  barrier.hasStarted = true
  barrier.start()
}
