import * as Batcher from "@venue/cluster/clients/Batcher"
import * as fc from "fast-check"
import { expect, it } from "vitest"

/** Creates a batcher for a target whose replies and whose clock the test controls. */
const scene = (mayOverlap = false) => {
  const due: Array<() => void> = []
  const paused: Array<() => void> = []
  const calls: Array<{ readonly items: ReadonlyArray<number>; readonly done: (isDone: boolean) => void }> = []
  const batcher = Batcher.make<number>({
    send: (items, done) => void calls.push({ items, done }),
    gather: (send) => void due.push(send),
    pause: (again) => void paused.push(again),
    mayOverlap: () => mayOverlap
  })
  const run = (all: Array<() => void>) => {
    while (all.length > 0) all.shift()!()
  }
  return {
    push: batcher.push,
    calls,
    sent: () => calls.map(({ items }) => items),
    turn: () => run(due),
    resume: () => run(paused)
  }
}

it("sends all items of one event-loop turn in one batch, and items that arrive during the call in the next batch", () => {
  const { calls, push, sent, turn } = scene()
  push(1)
  push(2)
  expect(sent()).toEqual([])
  turn()
  push(3)
  turn()
  push(4)
  turn()
  expect(sent()).toEqual([[1, 2]])
  calls[0]!.done(true)
  turn()
  expect(sent()).toEqual([
    [1, 2],
    [3, 4]
  ])
})

it("if batches overlap and one fails, resends all in-flight items in order", () => {
  const { calls, push, resume, sent, turn } = scene(true)
  for (const n of [1, 2, 3]) {
    push(n)
    turn()
  }
  calls[0]!.done(true)
  calls[1]!.done(false)
  push(4)
  // A reply from before the failure is ignored, so its batch is sent again.
  calls[2]!.done(true)
  turn()
  expect(sent()).toEqual([[1], [2], [3]])
  resume()
  turn()
  expect(sent().slice(3)).toEqual([[2, 3, 4]])
})

it("I48: queues at most 100,000 items and sends at most 4,096 in one call", () => {
  const { calls, push, turn } = scene()
  for (let n = 0; n < 100_000; n++) push(n)
  expect(push(100_000)).toBe(false)
  turn()
  expect(calls[0]!.items).toHaveLength(4_096)
  expect(push(100_000)).toBe(true)
})

it("delivers every item in order of submission, whichever calls fail or overlap", () => {
  const step = fc.constantFrom("push", "turn", "done", "fail", "resume")
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 80 }), (mayOverlap, steps) => {
      const { calls, push, resume, turn } = scene(mayOverlap)
      const first: Array<number> = []
      let count = 0
      let answered = 0
      const answer = (isDone: boolean) => {
        const call = calls[answered]
        if (call === undefined) return false
        answered++
        // An ordered target has received these items even if its reply is lost.
        for (const item of call.items) if (!first.includes(item)) first.push(item)
        call.done(isDone)
        return true
      }
      for (const each of steps) {
        if (each === "push") push(count++)
        else if (each === "turn") turn()
        else if (each === "resume") resume()
        else answer(each === "done")
      }
      do {
        resume()
        turn()
      } while (answer(true))
      expect(first).toEqual(Array.from({ length: count }, (_, n) => n))
    })
  )
})
