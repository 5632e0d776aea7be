/** Frames wait unread while too many answers are outstanding, on one connection or on all of a gateway together. */
import type { Transport } from "../socket/Transport.ts"

/**
 * All connections of one gateway share this. While much is outstanding in all, no connection may have more than its share;
 * one that has less is read as ever, so nobody waits for another's answers.
 */
export interface Total {
  /** So much more is outstanding on a connection, or less. */
  readonly charge: (weight: number) => void
  /** A connection has signed in; before that nothing is outstanding on it. */
  readonly join: () => void
  readonly leave: () => void
  /** So much may be outstanding on one connection now before its frames wait; it is at least one. */
  readonly most: () => number
}

/** The weight of all that one connection waits for the answer of. */
export interface Outstanding {
  weight: number
}

/** Each connection has one. */
export interface Backpressure {
  readonly outstanding: Outstanding
  readonly join: () => void
  /** Follows every change of what is outstanding: too much of it pauses the reading, which goes on at half of that. */
  readonly update: () => void
  /**
   * Adds this many characters of long answers, which wait until the client has read others, to what pauses the reading. Other
   * connections keep their share: the budget of sockets bounds these answers over all.
   */
  readonly hold: (characters: number) => void
  /** The connection is over. */
  readonly end: () => void
}

/** This holds for one connection. */
const mostOutstanding = 256
/**
 * This holds for all of them. The total stays below about twice this, or one for each connection where they are more.
 * Some flushes of the journal fit in, so that a venue at its limit is never short of work.
 */
const mostOutstandingInAll = 8_192

/** A text that waits counts for one, and one more for each KiB, so that long frames are bounded as short ones are. */
export const weightOf = (text: string): number => 1 + Math.floor(text.length / 1024)

export const makeTotal = (): Total => {
  let outstanding = 0
  let connections = 0
  return {
    charge: (weight) => {
      outstanding += weight
    },
    join: () => {
      connections += 1
    },
    leave: () => {
      connections -= 1
    },
    most: () =>
      outstanding < mostOutstandingInAll
        ? mostOutstanding
        : Math.max(1, Math.min(mostOutstanding, Math.floor(mostOutstandingInAll / connections)))
  }
}

/** `answered` is told at each change after which nothing is outstanding. */
export const make = (
  total: Total,
  transport: Pick<Transport, "pause" | "resume">,
  answered = () => {}
): Backpressure => {
  const outstanding: Outstanding = { weight: 0 }
  /** The total was told of so much of it. */
  let charged = 0
  let hasJoined = false
  let isPaused = false
  let isOver = false
  let held = 0
  const self: Backpressure = {
    outstanding,
    join: () => {
      hasJoined = true
      total.join()
    },
    update: () => {
      if (isOver) return
      const { weight } = outstanding
      if (weight !== charged) total.charge(weight - charged)
      charged = weight
      if (weight === 0) answered()
      const most = total.most()
      const all = weight + held
      if (isPaused ? all > most / 2 : all < most) return
      isPaused = !isPaused
      if (isPaused) transport.pause()
      else transport.resume()
    },
    hold: (characters) => {
      held = Math.floor(characters / 1024)
      self.update()
    },
    end: () => {
      isOver = true
      total.charge(-charged)
      if (hasJoined) total.leave()
    }
  }
  return self
}
