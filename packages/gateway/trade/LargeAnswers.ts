/**
 * Long responses of one connection, sent one at a time: each waits until the client has read the previous one. A
 * thousand orders and a thousand trades together exceed the limit of 1 MiB unread, so a client on a slow link would
 * otherwise be disconnected. Waiting responses count as unread and pause reading from the connection.
 */
import { maxPulseBytes, type Transport } from "../socket/Transport.ts"
import type { ExpectedQuery } from "./ExpectedReply.ts"

/** Connection functions that send its long responses. */
export interface Outlet {
  readonly waitingBytes: Transport["waitingBytes"]
  readonly countAnswers: Transport["countAnswers"]
  readonly after: (millis: number, then: () => void) => void
  readonly close: (code: number, reason: string) => void
}

export interface LargeAnswers {
  /** Sends a short frame at once, and a long frame after the client has read the earlier long frames. */
  readonly offer: (frame: string, send: (frame: string) => void) => void
  readonly end: () => void
}

/** Returns the query, changed to send its response through `offer`. */
export const paced = (answers: LargeAnswers, query: ExpectedQuery): ExpectedQuery => ({
  ...query,
  run: (answer) => query.run((frame) => answers.offer(frame, answer))
})

/** Maximum total length of waiting responses, beyond which the connection is closed. */
export const maxCharacters = 8 * 1024 * 1024
const pollMillis = 50

export const make = ({ after, close, countAnswers, waitingBytes }: Outlet): LargeAnswers => {
  let waiting: Array<() => void> = []
  let waitingCharacters = 0
  let inFlight = 0
  let isOver = false
  const count = () => countAnswers(inFlight, waitingCharacters)
  const isIdle = () => inFlight === 0 && waiting.length === 0
  const poll = (): void => {
    if (isOver) return
    if (waitingBytes() <= maxPulseBytes) {
      inFlight = 0
      const sendNext = waiting.shift() ?? count
      sendNext()
    }
    if (!isIdle()) after(pollMillis, poll)
  }
  const offer = (frame: string, send: (frame: string) => void): void => {
    if (isOver || frame.length <= maxPulseBytes) return send(frame)
    const sendNow = () => {
      inFlight = frame.length
      count()
      send(frame)
    }
    const wasIdle = isIdle()
    if (wasIdle && waitingBytes() <= maxPulseBytes) sendNow()
    else {
      waitingCharacters += frame.length
      if (waitingCharacters > maxCharacters)
        return close(1013, "the client does not read its responses; 8 MiB are waiting")
      waiting.push(() => {
        waitingCharacters -= frame.length
        sendNow()
      })
      count()
    }
    if (wasIdle) after(pollMillis, poll)
  }
  return {
    offer,
    end: () => {
      isOver = true
      waiting = []
      inFlight = waitingCharacters = 0
      count()
    }
  }
}
