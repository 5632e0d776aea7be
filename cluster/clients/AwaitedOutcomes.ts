/** What a desk has handed on and whose outcome is not known yet: it is looked at again a second later. */

export interface AwaitedOutcomes<A> {
  readonly add: (item: A) => void
  /** All of these that are still awaited, in the order in which they were handed on; from here on none of them is. */
  readonly takeAll: (isTaken?: (item: A) => boolean) => ReadonlyArray<A>
}

export interface Options<A> {
  /** Its outcome is not known, and it may still be done. */
  readonly isAwaited: (item: A) => boolean
  /** It was awaited for a second, and is no longer here. */
  readonly overdue: (item: A) => void
  readonly sleep: (millis: number, then: () => void) => void
  readonly nowMillis: () => number
}

export const make = <A>({ isAwaited, nowMillis, overdue, sleep }: Options<A>): AwaitedOutcomes<A> => {
  const sinceMillis = new Map<A, number>()
  let isLooking = false

  const look = () => {
    isLooking = false
    const before = nowMillis() - patienceMillis
    for (const [item, since] of sinceMillis) {
      const isWanted = isAwaited(item)
      if (isWanted && since > before) continue
      sinceMillis.delete(item)
      if (isWanted) overdue(item)
    }
    lookLater()
  }
  const lookLater = () => {
    if (isLooking || sinceMillis.size === 0) return
    isLooking = true
    sleep(patienceMillis, look)
  }
  return {
    add: (item) => {
      // Outcomes come nearly in order, so that few are looked at.
      for (const oldest of sinceMillis.keys()) {
        if (isAwaited(oldest)) break
        sinceMillis.delete(oldest)
      }
      sinceMillis.set(item, nowMillis())
      lookLater()
    },
    takeAll: (isTaken = always) => {
      const taken = [...sinceMillis.keys()].filter(isTaken)
      for (const item of taken) sinceMillis.delete(item)
      return taken.filter(isAwaited)
    }
  }
}

const always = () => true

/** What is recorded is known well before that. */
const patienceMillis = 1_000
