/** A queue for a desk that may not answer: everything goes again until it is answered, or too late to be done. */
import * as SubmissionQueue from "@venue/cluster/clients/SubmissionQueue"
import { noCost, type Submission, type Submitted } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { idOf, one, userId } from "../Neighbours.ts"

const submission = (n: number, expiresAtMillis = 5_000): Submission => ({
  userId,
  cost: noCost,
  request: {
    _tag: "CancelAllOrders",
    cause: "REQUEST",
    commandId: idOf(n),
    expiresAtMillis,
    accountId: primaryAccountOf(userId),
    symbol: one.symbol
  }
})

const handedOn = (n: number): Submitted => ({ _tag: "HandedOn", commandId: idOf(n).text, symbols: [one.symbol] })
const refused = (n: number, tag: "AccountLoading" | "DeskUnreachable" | "Faulted"): Submitted => ({
  _tag: "Refused",
  commandId: idOf(n).text,
  refusal: { _tag: tag }
})

/** A desk that answers when told, and a clock that moves when told. */
const scene = () => {
  const due: Array<() => void> = []
  const slept: Array<number> = []
  const wakes: Array<() => void> = []
  const calls: Array<{
    readonly ids: ReadonlyArray<number>
    readonly isRepeated: boolean
    readonly done: (answers: ReadonlyArray<Submitted> | undefined, here?: boolean) => void
  }> = []
  /** These were handed on and have no outcome. */
  const outstanding = new Set<number>()
  const replies: Array<Submitted> = []
  let now = 0
  const queue = SubmissionQueue.make({
    call: (submissions, isRepeated, done) => {
      calls.push({ ids: submissions.map(({ request }) => request.commandId.d), isRepeated, done })
    },
    gather: (send) => void due.push(send),
    sleep: (millis, then) => {
      slept.push(millis)
      wakes.push(() => {
        now += millis
        then()
      })
    },
    nowMillis: () => now
  })
  const settle = () => {
    while (wakes.length > 0 || due.length > 0) (wakes.shift() ?? due.shift()!)()
  }
  return {
    queue,
    calls,
    slept,
    replies,
    outstanding,
    settle,
    send: () => {
      while (due.length > 0) due.shift()!()
    },
    push: (...numbers: ReadonlyArray<number>) => {
      for (const n of numbers) {
        queue.push(
          submission(n),
          (answer) => void replies.push(answer),
          () => outstanding.has(n)
        )
      }
    },
    pass: (millis: number) => void (now += millis)
  }
}

it("I51: what a desk did not answer is asked again with its ids, in its order, before what came after it", () => {
  const { calls, push, replies, settle } = scene()
  push(1, 2)
  settle()
  push(3)
  calls[0]!.done(undefined)
  settle()
  expect(calls[1]).toMatchObject({ ids: [idOf(1).d, idOf(2).d, idOf(3).d], isRepeated: true })
  expect(replies).toEqual([])
  calls[1]!.done([handedOn(1), handedOn(2), handedOn(3)])
  expect(replies).toEqual([handedOn(1), handedOn(2), handedOn(3)])
  push(4)
  settle()
  expect(calls[2]).toMatchObject({ ids: [idOf(4).d], isRepeated: false })
})

it("I51: what was handed on and has no outcome goes again before what came after it when a call is not answered", () => {
  const { calls, outstanding, push, replies, send, settle } = scene()
  push(1, 2)
  settle()
  outstanding.add(1).add(2)
  calls[0]!.done([handedOn(1), handedOn(2)])
  outstanding.delete(1)
  push(3)
  send()
  calls[1]!.done(undefined)
  settle()
  expect(calls[2]).toMatchObject({ ids: [idOf(2).d, idOf(3).d], isRepeated: true })
  calls[2]!.done([handedOn(2), handedOn(3)])
  expect(replies).toEqual([handedOn(1), handedOn(2), handedOn(3)])
})

it("I51: what has no outcome a second after it was handed on goes again, until it has one or is too late", () => {
  const { calls, outstanding, push, replies, settle } = scene()
  push(1)
  settle()
  outstanding.add(1)
  for (let n = 0; n < 10; n++) {
    calls[n]?.done([handedOn(1)])
    settle()
  }
  expect(calls.map(({ ids, isRepeated }) => [ids, isRepeated])).toEqual([
    [[idOf(1).d], false],
    ...Array.from({ length: 5 }, () => [[idOf(1).d], true])
  ])
  expect(replies).toEqual([handedOn(1)])
})

it("a later desk that refuses what was handed on says so, and nothing is said of what has its outcome", () => {
  const { calls, outstanding, push, replies, settle } = scene()
  push(1, 2)
  settle()
  outstanding.add(1).add(2)
  calls[0]!.done([handedOn(1), handedOn(2)])
  settle()
  outstanding.delete(2)
  calls[1]!.done([refused(1, "Faulted"), refused(2, "Faulted")])
  expect(replies).toEqual([handedOn(1), handedOn(2), refused(1, "Faulted")])
})

it("what a desk of this node has handed on is not asked for again", () => {
  const { calls, outstanding, push, settle } = scene()
  push(1)
  settle()
  outstanding.add(1)
  calls[0]!.done([handedOn(1)], true)
  settle()
  expect(calls).toHaveLength(1)
})

it("the pause between repeats grows from 50 to 250 ms, and begins anew after an answer", () => {
  const { calls, push, settle, slept } = scene()
  push(1)
  settle()
  for (let n = 0; n < 5; n++) {
    calls[n]!.done(undefined)
    settle()
  }
  expect(slept).toEqual([50, 100, 200, 250, 250])
  calls[5]!.done([handedOn(1)])
  push(2)
  settle()
  calls[6]!.done(undefined)
  settle()
  expect(slept.at(-1)).toBe(50)
})

it("I51: past its expiry it is asked no more: unknown where a call had it in it, and not placed where none had", () => {
  const { calls, pass, push, replies, settle } = scene()
  push(1)
  settle()
  push(2)
  pass(5_001)
  calls[0]!.done(undefined)
  settle()
  expect(calls).toHaveLength(1)
  expect(replies).toEqual([refused(1, "DeskUnreachable"), refused(2, "AccountLoading")])
})

it("what a desk cannot decide yet is asked again, and holds up nothing that it has decided", () => {
  const { calls, pass, push, replies, settle } = scene()
  push(1, 2)
  settle()
  calls[0]!.done([refused(1, "AccountLoading"), handedOn(2)])
  expect(replies).toEqual([handedOn(2)])
  settle()
  expect(calls[1]).toMatchObject({ ids: [idOf(1).d], isRepeated: false })
  pass(5_001)
  calls[1]!.done([refused(1, "AccountLoading")])
  settle()
  expect(replies).toEqual([handedOn(2), refused(1, "AccountLoading")])
})

it("who waits for all that was submitted waits for what is asked again, too", () => {
  const { calls, push, queue, settle } = scene()
  let told = 0
  push(1)
  queue.whenReplied(() => void told++)
  settle()
  calls[0]!.done(undefined)
  settle()
  expect(told).toBe(0)
  calls[1]!.done([handedOn(1)])
  expect(told).toBe(1)
})

it("I8, I51: whatever is lost, each has one reply, and one that may have been done is never told as not placed", () => {
  const step = fc.constantFrom("push", "answer", "lose the call", "lose the answer", "not yet", "pass")
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { calls, pass, queue, settle } = scene()
      const replies = new Map<number, Array<Submitted>>()
      const done = new Set<number>()
      let [count, answered] = [0, 0]
      let now = 0
      const answer = (how: (typeof steps)[number]) => {
        const call = calls[answered]
        if (call === undefined) return
        answered++
        const ids = call.ids.map((word) => [...replies.keys()].find((n) => idOf(n).d === word)!)
        if (how === "answer" || how === "lose the answer") for (const n of ids) done.add(n)
        if (how === "answer") call.done(ids.map(handedOn))
        else if (how === "not yet")
          call.done(ids.map((n) => (done.has(n) ? handedOn(n) : refused(n, "AccountLoading"))))
        else call.done(undefined)
      }
      for (const each of steps) {
        if (each === "push") {
          const n = ++count
          replies.set(n, [])
          queue.push(submission(n, now + 1_000), (told) => void replies.get(n)!.push(told))
        } else if (each === "pass") {
          now += 400
          pass(400)
        } else answer(each)
        settle()
      }
      pass(20_000)
      while (answered < calls.length) {
        answer("lose the call")
        settle()
      }
      for (const [n, told] of replies) {
        expect(told).toHaveLength(1)
        if (done.has(n)) expect([handedOn(n), refused(n, "DeskUnreachable")]).toContainEqual(told[0])
      }
    })
  )
})
