/**
 * The pump: all that a node's streams have gathered leaves in one write, and one write is in flight. The next is on its
 * way before anybody hears of the last, so that the database does not wait for what they do about it.
 */
import type { Appender, Claimed, Owner, Row } from "./JournalStream.ts"
import * as OpenStream from "./OpenStream.ts"

/** Writes all drafts at once and says of each whether it is in the journal, or nothing when nobody can say. */
export type Write = (
  drafts: ReadonlyArray<OpenStream.Draft>,
  done: (won: ReadonlyArray<boolean> | undefined) => void
) => void

export interface Flush {
  readonly append: (owner: Owner, from: Claimed) => Appender
  /** From now on flushes go there. */
  readonly open: (write: Write) => void
  /** No flush begins until it is opened again; owners keep what they gather. */
  readonly shut: () => void
  readonly isFlying: () => boolean
  /** Streams whose silence is believed, and that were not proven since. */
  readonly unproven: (sinceMillis: number) => ReadonlyArray<OpenStream.OpenStream>
}

const maxStreams = 512
const maxBytes = 4 * 1024 * 1024

/** An owner that throws, or collects too much or nothing, is lost and reported; the others go on. */
export const make = (report: OpenStream.Report, now: () => number): Flush => {
  /** Those that are to be proven. */
  const believed = new Set<OpenStream.OpenStream>()
  let write: Write | undefined
  let waiting: Array<OpenStream.OpenStream> = []
  let isScheduled = false
  let isFlying = false

  // A lone append waits for the rest of this turn of the event loop, so that everything decided in it shares a flush.
  const schedule = () => {
    if (isScheduled || isFlying || write === undefined || waiting.length === 0) return
    isScheduled = true
    setImmediate(start)
  }

  const start = () => {
    isScheduled = false
    if (isFlying || write === undefined) return
    const { drafts, streams } = gather()
    if (drafts.length === 0) return schedule()
    isFlying = true
    const sentAtMillis = now()
    write(drafts, (won) => {
      const kept = streams.filter((stream, index) => OpenStream.keeps(stream, won?.[index], sentAtMillis))
      isFlying = false
      start()
      for (const stream of kept) OpenStream.tell(stream)
    })
  }

  /** Whoever waited longest is served first; what goes out is sorted, or two nodes would deadlock. */
  const gather = () => {
    const queue = waiting
    waiting = []
    const found: Array<{ readonly stream: OpenStream.OpenStream; readonly draft: OpenStream.Draft }> = []
    let taken = 0
    for (let bytes = 0; taken < queue.length && found.length < maxStreams && bytes < maxBytes; taken++) {
      const stream = queue[taken]!
      stream.isWaiting = false
      const draft = stream.isOpen ? OpenStream.collect(stream) : undefined
      if (draft === undefined) continue
      bytes += draft.events.length
      found.push({ stream, draft })
    }
    if (taken < queue.length) waiting = [...queue.slice(taken), ...waiting]
    found.sort((a, b) => order(a.draft, b.draft))
    return { streams: found.map(({ stream }) => stream), drafts: found.map(({ draft }) => draft) }
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
    isFlying: () => isFlying,
    unproven: (sinceMillis) => {
      for (const stream of believed) if (!stream.isOpen) believed.delete(stream)
      return [...believed].filter(({ provenAtMillis }) => provenAtMillis < sinceMillis)
    }
  }
}

/** The order is the same on every node. Two epochs of a stream meet in one flush when a lost owner has not noticed yet. */
export const order = (a: Row, b: Row): number =>
  a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : a.epoch - b.epoch
