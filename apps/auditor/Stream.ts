/** The line of history of one stream: no row is missing, and none is of an owner who had lost it (I2, I4). */
import type { Row } from "@venue/journal/Journal"

export interface Line {
  readonly stream: string
  seq: number
  epoch: number
}

export const make = (stream: string): Line => ({ stream, seq: 0, epoch: 0 })

/** Goes on by one row, and says what is wrong with it. */
export const take = (line: Line, { epoch, events, seq }: Row): string | undefined => {
  const { epoch: last, seq: before } = line
  line.seq = seq
  line.epoch = epoch
  if (seq !== before + 1) return `row ${seq} follows row ${before}`
  if (epoch < last) return `row ${seq} is of epoch ${epoch}, after one of ${last}`
  const isClaim = events.length === 0
  if (epoch > last && !isClaim) return `row ${seq} is the first of epoch ${epoch} and no claim`
  return epoch === last && isClaim ? `row ${seq} claims epoch ${epoch} again` : undefined
}
