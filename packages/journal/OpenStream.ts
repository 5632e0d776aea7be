/** A stream that its owner appends to, until it is closed or lost. What the owner throws is its own end and nobody else's. */
import { Result } from "effect"
import { type Alongside, type Claimed, maxRowBytes, type Owner, type Row } from "./JournalStream.ts"

/** A row on its way. */
export interface Draft extends Row {
  readonly alongside: ReadonlyArray<Alongside>
}

/** Hears of owners that threw, or collected too much or nothing. */
export type Report = (stream: string, cause: unknown) => void

export interface OpenStream {
  readonly owner: Owner
  readonly epoch: number
  readonly report: Report
  /** Of its newest row that is known to be committed. */
  seq: number
  /** No row of another owner had followed by then. */
  provenAtMillis: number
  isOpen: boolean
  /** There is something to collect, and no flush has asked for it. */
  isWaiting: boolean
}

export const make = (owner: Owner, { epoch, seq }: Claimed, report: Report): OpenStream => ({
  owner,
  epoch,
  report,
  seq,
  // A process may have stood still since its claim.
  provenAtMillis: -Infinity,
  isOpen: true,
  isWaiting: false
})

/** The next row, of all that its owner has gathered. */
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

/** Takes the verdict on its row: false for a stream that is lost, or was closed meanwhile. */
export const keeps = (stream: OpenStream, won: boolean | undefined, sentAtMillis: number): boolean => {
  if (won === true) {
    stream.seq++
    prove(stream, sentAtMillis)
  } else if (stream.isOpen) lose(stream, won === undefined ? "unknown" : "fenced")
  return stream.isOpen
}

/** It was still its owner's at that time. */
export const prove = (stream: OpenStream, atMillis: number): void => {
  stream.provenAtMillis = Math.max(stream.provenAtMillis, atMillis)
}

/** Another owner's row was found. */
export const fence = (stream: OpenStream): void => {
  if (stream.isOpen) lose(stream, "fenced")
}

/** Tells the owner that its row is committed. */
export const tell = (stream: OpenStream): void => {
  if (stream.isOpen) guard(stream, () => stream.owner.committed(stream.seq))
}

const lose = (stream: OpenStream, why: "fenced" | "unknown"): undefined => {
  stream.isOpen = false
  const told = Result.try(() => stream.owner.lost(why))
  if (Result.isFailure(told)) stream.report(stream.owner.stream, told.failure)
}

/** An owner that throws in the middle cannot be trusted with what it holds. */
const guard = <A>(stream: OpenStream, call: () => A): A | undefined => {
  const done = Result.try(call)
  if (Result.isSuccess(done)) return done.success
  stream.report(stream.owner.stream, done.failure)
  return lose(stream, "unknown")
}

const none: ReadonlyArray<Alongside> = []
