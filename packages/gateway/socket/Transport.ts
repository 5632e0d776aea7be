/** Interface between a socket and its gateway. */
export interface Transport {
  /** Sends a text frame. All frames of an event-loop turn are sent in one write. */
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Sends a ping, unless reading is paused or output is waiting. */
  readonly ping: () => void
  /** Stops reading, so that further frames wait at the client. */
  readonly pause: () => void
  readonly resume: () => void
  /** Returns the number of bytes that the client has not read. */
  readonly waitingBytes: () => number
  /** True if more than 1 MiB is unread, not counting the long response in flight. The client is then disconnected. */
  readonly isOverfull: () => boolean
  /**
   * Sets two lengths in characters. `inFlight` is the long response being sent, which does not count towards the 1
   * MiB limit. `waiting` is the long responses that wait outside the socket, which count as unread.
   */
  readonly countAnswers: (inFlight: number, waiting: number) => void
}

/** Receiver of one socket's frames. */
export interface Receiver {
  readonly text: (text: string) => void
  readonly pong?: () => void
  /** Called when the socket is closed. `isGivenUp` is true if the client did not close the socket. */
  readonly closed: (isGivenUp: boolean) => void
}

/** Number of unread bytes at which a client is disconnected. */
export const maxWaitingBytes = 1024 * 1024

/** Number of unread bytes at which periodic values are skipped, because a later message has newer values. */
export const maxPulseBytes = 64 * 1024
