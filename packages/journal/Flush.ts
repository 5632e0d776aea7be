/**
 * The pump: all that a node's streams have gathered leaves in one write, and one write is in flight. The next is on its
 * way before anybody hears of the last, so that the database does not wait for what they do about it.
 */
import { Result } from "effect"
import { type Alongside, type Appender, type Claimed, maxRowBytes, type Owner, type Row } from "./JournalStream.ts"

/** A row on its way. */
export interface Draft extends Row {
  readonly alongside: ReadonlyArray<Alongside>
}

/** Writes all drafts at once and says of each whether it is in the journal, or nothing when nobody can say. */
export type Write = (drafts: ReadonlyArray<Draft>, done: (won: ReadonlyArray<boolean> | undefined) => void) => void

export interface Flush {
  readonly append: (owner: Owner, from: Claimed) => Appender
  /** From now on flushes go there. */
  readonly open: (write: Write) => void
  /** No flush begins until it is opened again; owners keep what they gather. */
  readonly shut: () => void
  readonly isFlying: () => boolean
}

const maxStreams = 512
const maxBytes = 4 * 1024 * 1024

interface Line {
  readonly owner: Owner
  readonly epoch: number
  seq: number
  isOpen: boolean
  isWaiting: boolean
}

/** `report` hears of owners that threw, or collected too much or nothing: they are lost, the others go on. */
export const make = (report: (stream: string, cause: unknown) => void): Flush => {
  let write: Write | undefined
  let waiting: Array<Line> = []
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
    const lines: Array<Line> = []
    const drafts = gather(lines)
    if (drafts.length === 0) return schedule()
    isFlying = true
    write(drafts, (won) => {
      const kept = lines.filter((line, index) => keeps(line, won?.[index]))
      isFlying = false
      start()
      for (const line of kept) tell(line)
    })
  }

  /** Whoever waited longest is served first; what goes out is sorted, or two nodes would deadlock. */
  const gather = (lines: Array<Line>): Array<Draft> => {
    const queue = waiting
    waiting = []
    const found: Array<{ readonly line: Line; readonly draft: Draft }> = []
    let taken = 0
    for (let bytes = 0; taken < queue.length && found.length < maxStreams && bytes < maxBytes; taken++) {
      const line = queue[taken]!
      line.isWaiting = false
      const draft = line.isOpen ? collect(line) : undefined
      if (draft === undefined) continue
      bytes += draft.events.length
      found.push({ line, draft })
    }
    if (taken < queue.length) waiting = [...queue.slice(taken), ...waiting]
    found.sort((a, b) => order(a.draft, b.draft))
    for (const { line } of found) lines.push(line)
    return found.map(({ draft }) => draft)
  }

  const collect = (line: Line): Draft | undefined => {
    const collected = guard(line, () => line.owner.collect())
    if (collected === undefined || !line.isOpen) return undefined
    if (collected.events.length === 0 || collected.events.length > maxRowBytes) {
      report(line.owner.stream, new RangeError(`collected ${collected.events.length} bytes`))
      return lose(line, "unknown")
    }
    return {
      stream: line.owner.stream,
      seq: line.seq + 1,
      epoch: line.epoch,
      events: collected.events,
      alongside: collected.alongside ?? none
    }
  }

  /** Takes the verdict: false for a line that is lost, or was closed meanwhile. */
  const keeps = (line: Line, won: boolean | undefined): boolean => {
    if (won === true) line.seq++
    else if (line.isOpen) lose(line, won === undefined ? "unknown" : "fenced")
    return line.isOpen
  }

  const tell = (line: Line) => {
    if (line.isOpen) guard(line, () => line.owner.committed(line.seq))
  }

  const lose = (line: Line, why: "fenced" | "unknown"): undefined => {
    line.isOpen = false
    const told = Result.try(() => line.owner.lost(why))
    if (Result.isFailure(told)) report(line.owner.stream, told.failure)
  }

  /** An owner that throws in the middle cannot be trusted with what it holds. */
  const guard = <A>(line: Line, call: () => A): A | undefined => {
    const done = Result.try(call)
    if (Result.isSuccess(done)) return done.success
    report(line.owner.stream, done.failure)
    return lose(line, "unknown")
  }

  const append = (owner: Owner, { epoch, seq }: Claimed): Appender => {
    const line: Line = { owner, epoch, seq, isOpen: true, isWaiting: false }
    return {
      wake: () => {
        if (!line.isOpen || line.isWaiting) return
        line.isWaiting = true
        waiting.push(line)
        schedule()
      },
      close: () => {
        line.isOpen = false
      }
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
    isFlying: () => isFlying
  }
}

const none: ReadonlyArray<Alongside> = []

/** The order is the same on every node. Two epochs of a stream meet in one flush when a lost owner has not noticed yet. */
export const order = (a: Row, b: Row): number =>
  a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : a.epoch - b.epoch
