/** Interface between a socket and the gateway behind it. */
export interface Transport {
  /** Sends a text frame; frames of one turn are one write. */
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Sends a ping, unless reading is paused or output waits. */
  readonly ping: () => void
  /** Stops reading: further frames wait at the client. */
  readonly pause: () => void
  readonly resume: () => void
  /** Returns the bytes that the client has not read. */
  readonly waitingBytes: () => number
  /** True if over 1 MiB waits unread beside the long answer in flight; the client is then closed. */
  readonly isOverfull: () => boolean
  /**
   * Sets the characters of the long answer in flight, which does not count towards the 1 MiB, and of the long answers that wait
   * outside the socket, which count as unread.
   */
  readonly countAnswers: (inFlight: number, waiting: number) => void
}

/** Receiver of one socket's frames. */
export interface Receiver {
  readonly text: (text: string) => void
  /** Called when the client answers a ping. */
  readonly pong?: () => void
  /** Called when the socket is closed; `isGivenUp` is true if the client did not close it. */
  readonly closed: (isGivenUp: boolean) => void
}

/** Bytes unread at which a client is closed. */
export const maxWaitingBytes = 1024 * 1024

/** Bytes unread at which pulses are skipped; a later pulse has newer values. */
export const maxPulseBytes = 64 * 1024
