/** Back-pressure: pauses reading while too many replies are outstanding on one connection or on the whole gateway. */
import type { Transport } from "../socket/Transport.ts"

/**
 * Total outstanding weight of one gateway, shared by its connections. At the limit, each connection is bounded by an
 * equal share; a connection below its share is read without delay.
 */
export interface Total {
  /** Adds a (possibly negative) weight to the total. */
  readonly charge: (weight: number) => void
  /** Adds a signed-in connection. A connection has nothing outstanding before its sign-in. */
  readonly join: () => void
  readonly leave: () => void
  /** Returns the outstanding weight at which a connection is currently paused; at least 1. */
  readonly limit: () => number
}

/** Outstanding weight of one connection: its unanswered requests and the frames that wait behind them. */
export interface Outstanding {
  weight: number
}

/** Back-pressure of one connection. */
export interface Backpressure {
  readonly outstanding: Outstanding
  readonly join: () => void
  /** Must be called after every change to `outstanding`. Pauses reading at the limit; resumes at half of it. */
  readonly update: () => void
  /**
   * Sets the length, in characters, of long responses that wait until the client has read earlier ones. This length
   * counts towards this connection's pause but not towards the total, because the socket budget bounds it.
   */
  readonly hold: (characters: number) => void
  /** Removes the connection from the total. */
  readonly end: () => void
}

/** Limit of outstanding weight on one connection. */
const maxOutstanding = 256
/**
 * Outstanding weight of a gateway at which connections are bounded by their share. The total stays below about twice
 * this weight, or below one per connection if there are more connections. The limit covers several journal flushes,
 * so that a venue at its limit stays busy.
 */
const maxOutstandingInAll = 8_192

/** Returns the weight of a text: 1, plus 1 for each whole KiB. */
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
    limit: () =>
      outstanding < maxOutstandingInAll
        ? maxOutstanding
        : Math.max(1, Math.min(maxOutstanding, Math.floor(maxOutstandingInAll / connections)))
  }
}

/** Returns a connection's back-pressure. Calls `answered` at each update that finds nothing outstanding. */
export const make = (
  total: Total,
  transport: Pick<Transport, "pause" | "resume">,
  answered = () => {}
): Backpressure => {
  const outstanding: Outstanding = { weight: 0 }
  /** Weight that this connection has added to the total. */
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
      const limit = total.limit()
      const all = weight + held
      if (isPaused ? all > limit / 2 : all < limit) return
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
