/** Tests of long responses over a slow connection. */
import * as LargeAnswers from "@venue/gateway/trade/LargeAnswers"
import { maxWaitingBytes } from "@venue/gateway/socket/Transport"
import { expect, it } from "vitest"

const kib = 1024

/** Transport that sends `bytesPerStep` per step. Frames of one event-loop turn leave at the end of that turn. */
const scene = (bytesPerStep: number) => {
  const closed: Array<string> = []
  const sent: Array<string> = []
  let counted = { inFlight: 0, waiting: 0 }
  let gathered = 0
  let waiting = 0
  let most = 0
  let later: Array<() => void> = []
  const answers = LargeAnswers.make({
    waitingBytes: () => waiting,
    countAnswers: (inFlight, waiting) => {
      counted = { inFlight, waiting }
    },
    after: (_, then) => void later.push(then),
    close: (code, reason) => closed.push(`${code} ${reason}`)
  })
  const send = (frame: string) => {
    sent.push(frame.slice(0, 1))
    gathered += frame.length
    most = Math.max(most, waiting + gathered - counted.inFlight)
  }
  const ask = (name: string, size: number) => answers.offer(name.repeat(size), send)
  const step = () => {
    waiting = Math.max(0, waiting + gathered - bytesPerStep)
    gathered = 0
    const due = later
    later = []
    for (const then of due) then()
  }
  return {
    answers,
    ask,
    closed,
    sent,
    step,
    steps: (count: number) => Array.from({ length: count }, step),
    counted: () => counted,
    most: () => most,
    isIdle: () => later.length === 0
  }
}

it("sends responses of 900 KiB to a slow client one at a time, and buffers less than 1 MiB", () => {
  const { ask, isIdle, most, sent, step, steps } = scene(100 * kib)
  for (const name of ["a", "b", "c"]) ask(name, 900 * kib)
  expect(sent).toEqual(["a"])
  steps(8)
  expect(sent).toEqual(["a"])
  step()
  expect(sent).toEqual(["a", "b"])
  steps(30)
  expect(sent).toEqual(["a", "b", "c"])
  expect(most()).toBeLessThan(maxWaitingBytes)
  expect(isIdle()).toBe(true)
  ask("d", 900 * kib)
  expect(sent).toEqual(["a", "b", "c", "d"])
})

it("sends a short response without waiting for long ones", () => {
  const { ask, sent } = scene(kib)
  ask("a", 900 * kib)
  ask("b", 900 * kib)
  ask("c", 10)
  expect(sent).toEqual(["a", "c"])
})

it("counts the response in flight and the waiting responses as unread", () => {
  const { ask, counted, steps } = scene(100 * kib)
  for (const name of "abc") ask(name, 900 * kib)
  expect(counted()).toEqual({ inFlight: 900 * kib, waiting: 2 * 900 * kib })
  steps(40)
  expect(counted()).toEqual({ inFlight: 0, waiting: 0 })
})

it("closes a connection whose unread responses would exceed 8 MiB, and sends nothing afterwards", () => {
  const { answers, ask, closed, counted, isIdle, sent, steps } = scene(0)
  for (let count = 0; count < 12; count++) ask("a", 900 * kib)
  expect(sent).toEqual(["a"])
  expect(closed[0]).toBe("1013 the client does not read its responses; 8 MiB are waiting")
  answers.end()
  expect(counted()).toEqual({ inFlight: 0, waiting: 0 })
  steps(3)
  expect([sent, isIdle()]).toEqual([["a"], true])
})
