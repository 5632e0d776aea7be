/**
 * Long answers of one connection, sent one at a time: the next leaves when the client has read the one before. A thousand orders
 * and a thousand trades are more than what may wait unread, so that a client on a slow link would be closed for asking.
 */
import { maxPulseBytes, type Transport } from "../socket/Transport.ts"
import type { ExpectedQuery } from "./ExpectedReply.ts"

/** What a connection gives its long answers. */
export interface Outlet {
  readonly waitingBytes: Transport["waitingBytes"]
  readonly after: (millis: number, then: () => void) => void
  readonly close: (code: number, reason: string) => void
}

export interface LargeAnswers {
  /** Sends the frame now, or once there is room for it. */
  readonly offer: (frame: string, send: (frame: string) => void) => void
  /** Characters of the long answer that is on its way, which may wait beside everything else; 0 where none is. */
  readonly inFlight: () => number
  readonly end: () => void
}

/** Returns the query with its answer sent in turn, where that is a long one. */
export const paced = (answers: LargeAnswers, query: ExpectedQuery): ExpectedQuery => ({
  ...query,
  ask: (answer) => query.ask((frame) => answers.offer(frame, answer))
})

/** Long answers that wait together; with more, the connection is closed. */
export const maxCharacters = 8 * 1024 * 1024
const lookEveryMillis = 50

export const make = ({ after, close, waitingBytes }: Outlet): LargeAnswers => {
  let waiting: Array<() => void> = []
  let characters = 0
  let inFlight = 0
  const look = (): void => {
    if (inFlight === 0) return
    if (waitingBytes() <= maxPulseBytes) {
      inFlight = 0
      waiting.shift()?.()
    }
    if (inFlight > 0) after(lookEveryMillis, look)
  }
  return {
    offer: (frame, send) => {
      if (frame.length <= maxPulseBytes) return send(frame)
      const leave = () => {
        inFlight = frame.length
        send(frame)
      }
      if (inFlight === 0 && waitingBytes() <= maxPulseBytes) {
        leave()
        return after(lookEveryMillis, look)
      }
      characters += frame.length
      if (characters > maxCharacters) return close(1013, "answers were not read; 8 MiB of them were waiting")
      waiting.push(() => {
        characters -= frame.length
        leave()
      })
      if (inFlight > 0) return
      inFlight = 1
      after(lookEveryMillis, look)
    },
    inFlight: () => inFlight,
    end: () => {
      waiting = []
      inFlight = 0
    }
  }
}
