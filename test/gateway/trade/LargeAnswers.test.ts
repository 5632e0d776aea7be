/** Long answers over a slow link: one at a time, and bounded. */
import * as LargeAnswers from "@venue/gateway/trade/LargeAnswers"
import { maxWaitingBytes } from "@venue/gateway/socket/Transport"
import { expect, it } from "vitest"

const kib = 1024

/** A link that takes so much in each step; frames of one turn leave at its end. */
const scene = (bytesPerStep: number) => {
  const sent: Array<string> = []
  const closed: Array<string> = []
  let gathered = 0
  let waiting = 0
  let most = 0
  let later: Array<() => void> = []
  const answers = LargeAnswers.make({
    waitingBytes: () => waiting,
    after: (_, then) => void later.push(then),
    close: (code, reason) => closed.push(`${code} ${reason}`)
  })
  const send = (frame: string) => {
    sent.push(frame.slice(0, 1))
    gathered += frame.length
    most = Math.max(most, waiting + gathered - answers.inFlight())
  }
  const step = () => {
    waiting = Math.max(0, waiting + gathered - bytesPerStep)
    gathered = 0
    const due = later
    later = []
    for (const then of due) then()
  }
  return {
    answers,
    closed,
    sent,
    offer: (name: string, size: number) => answers.offer(name.repeat(size), send),
    step,
    steps: (count: number) => Array.from({ length: count }, step),
    most: () => most,
    isIdle: () => later.length === 0
  }
}

it("sends answers of 900 KiB one after the other as a slow client reads them, so that no more than 1 MiB else waits", () => {
  const { closed, isIdle, most, offer, sent, step, steps } = scene(100 * kib)
  for (const name of ["a", "b", "c"]) offer(name, 900 * kib)
  expect(sent).toEqual(["a"])
  steps(8)
  expect(sent).toEqual(["a"])
  step()
  expect(sent).toEqual(["a", "b"])
  steps(30)
  expect(sent).toEqual(["a", "b", "c"])
  expect(most()).toBeLessThan(maxWaitingBytes)
  expect([closed, isIdle()]).toEqual([[], true])
  offer("d", 900 * kib)
  expect(sent).toEqual(["a", "b", "c", "d"])
})

it("short answers wait for no long one", () => {
  const { offer, sent } = scene(kib)
  offer("a", 900 * kib)
  offer("b", 900 * kib)
  offer("c", 10)
  expect(sent).toEqual(["a", "c"])
})

it("closes a connection whose unread answers would pass 8 MiB, and sends nothing after its end", () => {
  const { answers, closed, offer, sent, steps } = scene(0)
  for (let count = 0; count < 12; count++) offer("a", 900 * kib)
  expect(sent).toEqual(["a"])
  expect(closed[0]).toBe("1013 answers were not read; 8 MiB of them were waiting")
  answers.end()
  steps(3)
  expect(sent).toEqual(["a"])
})
