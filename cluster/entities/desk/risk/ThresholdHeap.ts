/**
 * Binary heap of entries with changing thresholds, lowest first. Each entry stores its own index, so that its
 * threshold can change without a search.
 */

export interface Entry {
  threshold: number
  /** Index in the heap, or -1 outside the heap. */
  at: number
}

export interface ThresholdHeap<A extends Entry> {
  /** Inserts an entry, or changes its threshold. */
  readonly set: (entry: A, threshold: number) => void
  readonly remove: (entry: A) => void
  /** Removes and returns all entries up to this threshold. Costs one comparison if it finds nothing. */
  readonly reach: (threshold: number) => ReadonlyArray<A>
}

export const make = <A extends Entry>(): ThresholdHeap<A> => {
  const entries: Array<A> = []

  const put = (entry: A, at: number) => {
    entries[at] = entry
    entry.at = at
  }
  const rise = (entry: A) => {
    let at = entry.at
    while (at > 0) {
      const parent = entries[(at - 1) >> 1]!
      if (parent.threshold <= entry.threshold) break
      const above = parent.at
      put(parent, at)
      at = above
    }
    put(entry, at)
  }
  const sink = (entry: A) => {
    let at = entry.at
    while (true) {
      const left = entries[2 * at + 1]
      const right = entries[2 * at + 2]
      const child = right !== undefined && right.threshold < left!.threshold ? right : left
      if (child === undefined || child.threshold >= entry.threshold) break
      const below = child.at
      put(child, at)
      at = below
    }
    put(entry, at)
  }
  const set = (entry: A, threshold: number) => {
    entry.threshold = threshold
    if (entry.at === -1) put(entry, entries.length)
    rise(entry)
    sink(entry)
  }
  const remove = (entry: A) => {
    const { at } = entry
    if (at === -1) return
    entry.at = -1
    const last = entries.pop()!
    if (last === entry) return
    put(last, at)
    rise(last)
    sink(last)
  }
  return {
    set,
    remove,
    reach: (threshold) => {
      if (entries.length === 0 || entries[0]!.threshold > threshold) return none
      const reached: Array<A> = []
      while (entries.length > 0 && entries[0]!.threshold <= threshold) {
        reached.push(entries[0]!)
        remove(entries[0]!)
      }
      return reached
    }
  }
}

const none: ReadonlyArray<never> = []
