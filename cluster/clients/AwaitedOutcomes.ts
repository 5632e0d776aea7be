/** Submissions that a desk has sent to a market and whose outcome is unknown. Each is reported as overdue after 1 s. */

export interface AwaitedOutcomes<A> {
  readonly add: (item: A) => void
  /** Removes the matching items and returns those whose outcome is still unknown, oldest first. */
  readonly takeAll: (isWanted?: (item: A) => boolean) => ReadonlyArray<A>
}

export interface Options<A> {
  /** Whether the item's outcome is unknown and the item has not expired. */
  readonly isAwaited: (item: A) => boolean
  /** Called with an item that was removed because it waited for 1 s. */
  readonly overdue: (item: A) => void
  readonly sleep: (millis: number, then: () => void) => void
  readonly nowMillis: () => number
}

export const make = <A>({ isAwaited, nowMillis, overdue, sleep }: Options<A>): AwaitedOutcomes<A> => {
  const sinceMillis = new Map<A, number>()
  let isScheduled = false

  const check = () => {
    isScheduled = false
    const before = nowMillis() - overdueMillis
    for (const [item, since] of sinceMillis) {
      const isUnknown = isAwaited(item)
      if (isUnknown && since > before) continue
      sinceMillis.delete(item)
      if (isUnknown) overdue(item)
    }
    scheduleCheck()
  }
  const scheduleCheck = () => {
    if (isScheduled || sinceMillis.size === 0) return
    isScheduled = true
    sleep(overdueMillis, check)
  }
  return {
    add: (item) => {
      // Outcomes arrive nearly in order, so checking the oldest items first removes most resolved items at little
      // cost.
      for (const oldest of sinceMillis.keys()) {
        if (isAwaited(oldest)) break
        sinceMillis.delete(oldest)
      }
      sinceMillis.set(item, nowMillis())
      scheduleCheck()
    },
    takeAll: (isWanted = always) => {
      const taken = [...sinceMillis.keys()].filter(isWanted)
      for (const item of taken) sinceMillis.delete(item)
      return taken.filter(isAwaited)
    }
  }
}

const always = () => true

/** The outcome of a recorded submission arrives well within this time. */
const overdueMillis = 1_000
