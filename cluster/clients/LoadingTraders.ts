/** What is for traders that their desk is loading still: it is asked again by itself, so that nobody else of the desk waits for them. */
import type { UserId } from "@venue/domain/UserId"

export interface LoadingTraders<A> {
  readonly has: (userId: UserId) => boolean
  /** From here on its trader is one of them. False when too much waits already, and it was not taken. */
  readonly add: (item: A) => boolean
}

export interface Options<A> {
  readonly userOf: (item: A) => UserId
  /** It was sent before all that wait. */
  readonly isRepeat: (item: A) => boolean
  /** `done` is called once, with those that are not decided yet. */
  readonly send: (items: ReadonlyArray<A>, done: (left: ReadonlySet<A>) => void) => void
  /** The trader is loaded; what came for it meanwhile goes its usual way. */
  readonly loaded: (items: ReadonlyArray<A>) => void
  /** How long to wait before so many tries in a row have one more. */
  readonly pause: (tries: number, again: () => void) => void
}

export const make = <A>({ isRepeat, loaded, pause, send, userOf }: Options<A>): LoadingTraders<A> => {
  const waiting = new Map<UserId, Array<A>>()
  let count = 0
  /** So many in a row have left somebody who is not loaded; 0 when nobody is waited for. */
  let tries = 0

  const start = () => pause(++tries, ask)
  const ask = () => {
    const items = some(waiting.values())
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
      // It goes behind the others, so that each comes to be asked.
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

/** The first of each user in turn, as many as one call may carry. */
const some = <A>(lists: Iterable<ReadonlyArray<A>>): ReadonlyArray<A> => {
  const items: Array<A> = []
  for (const list of lists) {
    items.push(...list.slice(0, maxBatch - items.length))
    if (items.length === maxBatch) break
  }
  return items
}

const maxWaiting = 100_000
const maxBatch = 4_096
