/**
 * Submissions for traders that their desk is still loading. They are retried separately from the desk's other
 * submissions.
 */
import type { UserId } from "@venue/domain/UserId"

export interface LoadingTraders<A> {
  /** Whether submissions from the user are queued here. */
  readonly has: (userId: UserId) => boolean
  /** Adds a submission and marks its trader as loading. Returns false when the queue is full. */
  readonly add: (item: A) => boolean
}

export interface Options<A> {
  readonly userOf: (item: A) => UserId
  /** Whether the item was sent before. It then goes ahead of the same user's items that were never sent. */
  readonly isRepeat: (item: A) => boolean
  /** Sends items. `done` is called once, with the items that the desk could not decide yet. */
  readonly send: (items: ReadonlyArray<A>, done: (left: ReadonlySet<A>) => void) => void
  /** Called with a trader's remaining items once the trader is loaded. */
  readonly loaded: (items: ReadonlyArray<A>) => void
  /** Waits before the next attempt; `tries` is the number of consecutive attempts. */
  readonly pause: (tries: number, again: () => void) => void
}

export const make = <A>({ isRepeat, loaded, pause, send, userOf }: Options<A>): LoadingTraders<A> => {
  const waiting = new Map<UserId, Array<A>>()
  let count = 0
  /** Number of consecutive attempts that left a trader unloaded, or 0 while no trader is loading. */
  let tries = 0

  const start = () => pause(++tries, retry)
  const retry = () => {
    const items = nextBatch(waiting.values())
    send(items, (left) => {
      finish(items, left)
      if (left.size === 0) tries = 0
      if (waiting.size > 0) start()
    })
  }
  const finish = (items: ReadonlyArray<A>, left: ReadonlySet<A>) => {
    const loading = new Set(Array.from(left, userOf))
    const sent = new Set(items)
    for (const userId of new Set(items.map(userOf))) {
      const kept = waiting.get(userId)!.filter((item) => !sent.has(item) || left.has(item))
      count -= waiting.get(userId)!.length - kept.length
      waiting.delete(userId)
      // Moves the user to the end of the queue, so that each user gets a turn.
      if (loading.has(userId)) waiting.set(userId, kept)
      else {
        count -= kept.length
        loaded(kept)
      }
    }
  }

  return {
    has: (userId) => waiting.has(userId),
    add: (item) => {
      if (count >= maxWaiting) return false
      count++
      const mine = waiting.get(userOf(item)) ?? []
      const at = isRepeat(item) ? mine.findIndex((other) => !isRepeat(other)) : -1
      if (at === -1) mine.push(item)
      else mine.splice(at, 0, item)
      waiting.set(userOf(item), mine)
      if (tries === 0) start()
      return true
    }
  }
}

/** Returns the first `maxBatch` items: all items from one user, then all items from the next. */
const nextBatch = <A>(lists: Iterable<ReadonlyArray<A>>): ReadonlyArray<A> => {
  const items: Array<A> = []
  for (const list of lists) {
    items.push(...list.slice(0, maxBatch - items.length))
    if (items.length === maxBatch) break
  }
  return items
}

const maxWaiting = 100_000
const maxBatch = 4_096
