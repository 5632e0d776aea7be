/**
 * Batches the rows of a node's streams into flushes; one flush is in flight at a time. The next flush is sent before
 * owners are notified of the previous one, so that the database never waits for the owners' work.
 */
import type { Appender, Claimed, Owner, Row } from "./JournalStream.ts"
import * as OpenStream from "./OpenStream.ts"

/**
 * Writes all drafts in one statement. `done` receives one flag per draft, true if its row was accepted, or undefined
 * if the outcome is unknown.
 */
export type Write = (
  drafts: ReadonlyArray<OpenStream.Draft>,
  done: (won: ReadonlyArray<boolean> | undefined) => void
) => void

export interface Flush {
  readonly append: (owner: Owner, from: Claimed) => Appender
  /** Sends flushes to `write` from now on. */
  readonly open: (write: Write) => void
  /** Starts no further flush until `open` is called; owners keep their events meanwhile. */
  readonly shut: () => void
  readonly isInFlight: () => boolean
  /** Returns the streams of owners with `isBelieved` whose ownership has not been proven since this time. */
  readonly unproven: (sinceMillis: number) => ReadonlyArray<OpenStream.OpenStream>
}

const maxStreams = 512
const maxBytes = 4 * 1024 * 1024

/**
 * If an owner throws, or collects too many bytes or none, its stream is lost and reported; others are unaffected.
 * `witness` receives each committed row.
 */
export const make = (report: OpenStream.Report, now: () => number, witness: (row: Row) => void = () => {}): Flush => {
  /** Streams whose ownership must be proven even if they append nothing. */
  const believed = new Set<OpenStream.OpenStream>()
  let write: Write | undefined
  let waiting: Array<OpenStream.OpenStream> = []
  let isScheduled = false
  let isInFlight = false

  // Waits until the end of this turn of the event loop, so that all decisions made in the turn share one flush.
  const schedule = () => {
    if (isScheduled || isInFlight || write === undefined || waiting.length === 0) return
    isScheduled = true
    setImmediate(start)
  }

  const start = () => {
    isScheduled = false
    if (isInFlight || write === undefined) return
    const { drafts, streams } = gather()
    if (drafts.length === 0) return schedule()
    isInFlight = true
    const sentAtMillis = now()
    write(drafts, (won) => {
      const kept = streams.filter((stream, index) => OpenStream.keeps(stream, won?.[index], sentAtMillis))
      isInFlight = false
      start()
      if (won !== undefined) for (const [index, draft] of drafts.entries()) if (won[index] === true) witness(draft)
      for (const stream of kept) OpenStream.notify(stream)
    })
  }

  /**
   * Takes the streams that have waited longest. Sorts the drafts, because nodes that insert in different orders could
   * deadlock.
   */
  const gather = () => {
    const queue = waiting
    waiting = []
    const entries: Array<{ readonly stream: OpenStream.OpenStream; readonly draft: OpenStream.Draft }> = []
    let taken = 0
    for (let bytes = 0; taken < queue.length && entries.length < maxStreams && bytes < maxBytes; taken++) {
      const stream = queue[taken]!
      stream.isWaiting = false
      const draft = stream.isOpen ? OpenStream.collect(stream) : undefined
      if (draft === undefined) continue
      bytes += draft.events.length
      entries.push({ stream, draft })
    }
    if (taken < queue.length) waiting = [...queue.slice(taken), ...waiting]
    entries.sort((a, b) => order(a.draft, b.draft))
    return { streams: entries.map(({ stream }) => stream), drafts: entries.map(({ draft }) => draft) }
  }

  const append = (owner: Owner, from: Claimed): Appender => {
    const stream = OpenStream.make(owner, from, report)
    if (owner.isBelieved === true) believed.add(stream)
    return {
      wake: () => {
        if (!stream.isOpen || stream.isWaiting) return
        stream.isWaiting = true
        waiting.push(stream)
        schedule()
      },
      close: () => {
        stream.isOpen = false
        believed.delete(stream)
      },
      provenAtMillis: () => stream.provenAtMillis
    }
  }

  return {
    append,
    open: (to) => {
      write = to
      schedule()
    },
    shut: () => {
      write = undefined
    },
    isInFlight: () => isInFlight,
    unproven: (sinceMillis) => {
      for (const stream of believed) if (!stream.isOpen) believed.delete(stream)
      return [...believed].filter(({ provenAtMillis }) => provenAtMillis < sinceMillis)
    }
  }
}

/**
 * Order of the rows in a flush, the same on every node. Includes the epoch, because a flush can hold rows of a fenced
 * owner and of its successor.
 */
export const order = (a: Row, b: Row): number =>
  a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : a.epoch - b.epoch
