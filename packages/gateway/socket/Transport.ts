/** One client's end of a socket, as the rooms behind it see it. */
export interface Transport {
  /** Text frames; those of one turn leave in one write. */
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Asks the client whether it lives, unless what it would answer is not read now. */
  readonly ping: () => void
  /** Reads nothing more of the client for now: what it goes on sending waits on its side. */
  readonly pause: () => void
  readonly resume: () => void
  /** Bytes the client has not taken yet. */
  readonly waitingBytes: () => number
  /** More than 1 MiB waits unread beside the long answer in flight: the client is too slow, and is closed. */
  readonly isOverfull: () => boolean
  /**
   * Records the characters of the long answer in flight, which may wait beside everything else, and of those that wait for it
   * outside the socket, which count as unread too.
   */
  readonly countAnswers: (inFlight: number, waiting: number) => void
}

/** What a socket hands in. */
export interface Receiver {
  readonly text: (text: string) => void
  /** The client lives: it has answered a ping. */
  readonly pong?: () => void
  /** It is given up where nothing of the client told its end. */
  readonly closed: (isGivenUp: boolean) => void
}

/** A client that leaves more than this unread is told to come again later. */
export const maxWaitingBytes = 1024 * 1024

/** Pulses are left out while more than this waits: the next one says it better. */
export const maxPulseBytes = 64 * 1024
