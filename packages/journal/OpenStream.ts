/** An open stream, until it is closed or lost. An exception that its owner throws affects only this stream. */
import { Result } from "effect"
import { type Alongside, type Claimed, maxRowBytes, type Owner, type Row } from "./JournalStream.ts"

/** A row to be written, and the changes that commit with it. */
export interface Draft extends Row {
  readonly alongside: ReadonlyArray<Alongside>
}

/** Receives the errors of owners that threw, or that collected too many bytes or none. */
export type Report = (stream: string, cause: unknown) => void

export interface OpenStream {
  readonly owner: Owner
  readonly epoch: number
  readonly report: Report
  /** Sequence number of the newest row that is known to be committed. */
  seq: number
  /** Latest time at which no other owner had appended a row. */
  provenAtMillis: number
  isOpen: boolean
  /** Whether the stream is waiting for a flush to collect its events. */
  isWaiting: boolean
}

export const make = (owner: Owner, { epoch, seq }: Claimed, report: Report): OpenStream => ({
  owner,
  epoch,
  report,
  seq,
  // The process might have been paused since it took the stream over, so ownership is not proven yet.
  provenAtMillis: -Infinity,
  isOpen: true,
  isWaiting: false
})

/** Collects the owner's events into the next row. Returns undefined if the owner failed. */
export const collect = (stream: OpenStream): Draft | undefined => {
  const collected = guard(stream, () => stream.owner.collect())
  if (collected === undefined || !stream.isOpen) return undefined
  if (collected.events.length === 0 || collected.events.length > maxRowBytes) {
    stream.report(stream.owner.stream, new RangeError(`collected ${collected.events.length} bytes`))
    return lose(stream, "unknown")
  }
  return {
    stream: stream.owner.stream,
    seq: stream.seq + 1,
    epoch: stream.epoch,
    events: collected.events,
    alongside: collected.alongside ?? none
  }
}

/** Applies the outcome of the stream's row. Returns false if the stream is lost or was closed meanwhile. */
export const keeps = (stream: OpenStream, won: boolean | undefined, sentAtMillis: number): boolean => {
  if (won === true) {
    stream.seq++
    prove(stream, sentAtMillis)
  } else if (stream.isOpen) lose(stream, won === undefined ? "unknown" : "fenced")
  return stream.isOpen
}

/** Records that no other owner had taken over the stream at the given time. */
export const prove = (stream: OpenStream, atMillis: number): void => {
  stream.provenAtMillis = Math.max(stream.provenAtMillis, atMillis)
}

/** Marks the stream as lost, because another owner has taken it over. */
export const fence = (stream: OpenStream): void => {
  if (stream.isOpen) lose(stream, "fenced")
}

/** Notifies the owner that the row is committed. */
export const notify = (stream: OpenStream): void => {
  if (stream.isOpen) guard(stream, () => stream.owner.committed(stream.seq))
}

const lose = (stream: OpenStream, why: "fenced" | "unknown"): undefined => {
  stream.isOpen = false
  const notified = Result.try(() => stream.owner.lost(why))
  if (Result.isFailure(notified)) stream.report(stream.owner.stream, notified.failure)
}

/** Calls the owner. If the owner throws, its state is unreliable, so the stream is lost. */
const guard = <A>(stream: OpenStream, call: () => A): A | undefined => {
  const done = Result.try(call)
  if (Result.isSuccess(done)) return done.success
  stream.report(stream.owner.stream, done.failure)
  return lose(stream, "unknown")
}

const none: ReadonlyArray<Alongside> = []
