/** The line of history of one stream: no row is missing, and none is of an owner who had lost it (I2, I4). */
import type { Row } from "@venue/journal/Journal"

/** One row of a stream. */
export interface RowPlace {
  readonly stream: string
  readonly seq: number
}

export interface Line {
  readonly stream: string
  seq: number
  epoch: number
  /** The newest row with events: owners state the rows of their memory by it, since claims change nothing. */
  writtenSeq: number
}

export const make = (stream: string): Line => ({ stream, seq: 0, epoch: 0, writtenSeq: 0 })

/** Returns why a row cannot follow the rows read so far; undefined where it can. */
export const faultOf = ({ epoch: last, seq: before }: Line, { epoch, events, seq }: Row): string | undefined => {
  if (seq !== before + 1) return `row ${seq} follows row ${before}`
  if (epoch < last) return `row ${seq} is of epoch ${epoch}, after one of ${last}`
  const isClaim = events.length === 0
  if (epoch > last && !isClaim) return `row ${seq} is the first of epoch ${epoch} and no claim`
  return epoch === last && isClaim ? `row ${seq} claims epoch ${epoch} again` : undefined
}

/** Moves the line to a row, whatever is wrong with it. */
export const take = (line: Line, { epoch, events, seq }: Row): void => {
  line.seq = seq
  line.epoch = epoch
  if (events.length > 0) line.writtenSeq = seq
}
