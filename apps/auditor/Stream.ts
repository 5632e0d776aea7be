/**
 * One stream's history. Checks that no row is missing and that every row is from the stream's owner at that time (I2,
 * I4).
 */
import type { Row } from "@venue/journal/Journal"

export interface RowPlace {
  readonly stream: string
  readonly seq: number
}

export interface Line {
  readonly stream: string
  seq: number
  epoch: number
  /** Newest row with events. Owners label their state with this row, because claims change no state. */
  writtenSeq: number
}

export const make = (stream: string): Line => ({ stream, seq: 0, epoch: 0, writtenSeq: 0 })

/** Returns why a row cannot follow the earlier rows, or undefined if it can. */
export const faultOf = ({ epoch: last, seq: before }: Line, { epoch, events, seq }: Row): string | undefined => {
  if (seq !== before + 1) return `row ${seq} follows row ${before} instead of row ${seq - 1}`
  if (epoch < last) return `row ${seq} has epoch ${epoch}, which is lower than the previous epoch ${last}`
  const isClaim = events.length === 0
  if (epoch > last && !isClaim) return `row ${seq} is in the new epoch ${epoch}, which no row has claimed`
  return epoch === last && isClaim ? `row ${seq} claims epoch ${epoch}, which was already claimed` : undefined
}

/** Advances to a row, whether or not the row is valid. */
export const take = (line: Line, { epoch, events, seq }: Row): void => {
  line.seq = seq
  line.epoch = epoch
  if (events.length > 0) line.writtenSeq = seq
}
