/** Tests of a submission queue whose desk does not always reply. */
import * as SubmissionQueue from "@venue/cluster/clients/SubmissionQueue"
import { noCost, type Submission, type Submitted } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { idOf, one, userId } from "../Neighbours.ts"

const submission = (n: number, expiresAtMillis = 5_000, of = userId): Submission => ({
  userId: of,
  cost: noCost,
  request: {
    _tag: "CancelAllOrders",
    cause: "REQUEST",
    commandId: idOf(n),
    expiresAtMillis,
    accountId: primaryAccountOf(of),
    symbol: one.symbol
  }
})

const other = UserId.make("another user")

const forwarded = (n: number): Submitted => ({ _tag: "HandedOn", commandId: idOf(n).text, symbols: [one.symbol] })
const refused = (n: number, tag: "AccountLoading" | "DeskUnreachable" | "Faulted"): Submitted => ({
  _tag: "Refused",
  commandId: idOf(n).text,
  refusal: { _tag: tag }
})

/** Creates a queue for a desk whose replies and whose clock the test controls. */
const scene = () => {
  const due: Array<() => void> = []
  const slept: Array<number> = []
  const wakes: Array<() => void> = []
  const calls: Array<{
    readonly ids: ReadonlyArray<number>
    readonly isRepeated: boolean
    readonly done: (answers: ReadonlyArray<Submitted> | undefined, here?: boolean) => void
  }> = []
  /** By number: submissions that the desk has sent to a market and that have no outcome yet. */
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
    nowMillis: () => now,
    overloaded: () => {}
  })
  const push = (n: number, of = userId) =>
    queue.push(
      submission(n, 5_000, of),
      (answer) => void replies.push(answer),
      () => outstanding.has(n)
    )
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
    push: (...numbers: ReadonlyArray<number>) => numbers.forEach((n) => push(n)),
    pushOf: (of: UserId, ...numbers: ReadonlyArray<number>) => numbers.forEach((n) => push(n, of)),
    pass: (millis: number) => void (now += millis)
  }
}

it("I51: resends unanswered submissions in order, under the same ids, before any later submission", () => {
  const { calls, push, replies, settle } = scene()
  push(1, 2)
  settle()
  push(3)
  calls[0]!.done(undefined)
  settle()
  expect(calls[1]).toMatchObject({ ids: [idOf(1).d, idOf(2).d, idOf(3).d], isRepeated: true })
  expect(replies).toEqual([])
  calls[1]!.done([forwarded(1), forwarded(2), forwarded(3)])
  expect(replies).toEqual([forwarded(1), forwarded(2), forwarded(3)])
  push(4)
  settle()
  expect(calls[2]).toMatchObject({ ids: [idOf(4).d], isRepeated: false })
})

it("I51: after a failed call, resends submissions with an unknown outcome before later submissions", () => {
  const { calls, outstanding, push, replies, send, settle } = scene()
  push(1, 2)
  settle()
  outstanding.add(1).add(2)
  calls[0]!.done([forwarded(1), forwarded(2)])
  outstanding.delete(1)
  push(3)
  send()
  calls[1]!.done(undefined)
  settle()
  expect(calls[2]).toMatchObject({ ids: [idOf(2).d, idOf(3).d], isRepeated: true })
  calls[2]!.done([forwarded(2), forwarded(3)])
  expect(replies).toEqual([forwarded(1), forwarded(2), forwarded(3)])
})

it("I51: while a submission's outcome is unknown, resends the submission every second until it expires", () => {
  const { calls, outstanding, push, replies, settle } = scene()
  push(1)
  settle()
  outstanding.add(1)
  for (let n = 0; n < 10; n++) {
    calls[n]?.done([forwarded(1)])
    settle()
  }
  expect(calls.map(({ ids, isRepeated }) => [ids, isRepeated])).toEqual([
    [[idOf(1).d], false],
    ...Array.from({ length: 5 }, () => [[idOf(1).d], true])
  ])
  expect(replies).toEqual([forwarded(1)])
})

it("delivers a late refusal of a submission that was already sent to a market, unless the outcome is known", () => {
  const { calls, outstanding, push, replies, settle } = scene()
  push(1, 2)
  settle()
  outstanding.add(1).add(2)
  calls[0]!.done([forwarded(1), forwarded(2)])
  settle()
  outstanding.delete(2)
  calls[1]!.done([refused(1, "Faulted"), refused(2, "Faulted")])
  expect(replies).toEqual([forwarded(1), forwarded(2), refused(1, "Faulted")])
})

it("does not resend a submission that a desk on the same node has sent to a market", () => {
  const { calls, outstanding, push, settle } = scene()
  push(1)
  settle()
  outstanding.add(1)
  calls[0]!.done([forwarded(1)], true)
  settle()
  expect(calls).toHaveLength(1)
})

it("increases the retry delay from 50 to 250 ms, and resets the delay after a reply", () => {
  const { calls, push, settle, slept } = scene()
  push(1)
  settle()
  for (let n = 0; n < 5; n++) {
    calls[n]!.done(undefined)
    settle()
  }
  expect(slept).toEqual([50, 100, 200, 250, 250])
  calls[5]!.done([forwarded(1)])
  push(2)
  settle()
  calls[6]!.done(undefined)
  settle()
  expect(slept.at(-1)).toBe(50)
})

it("I51: reports an expired submission as unknown if the submission was sent, and as not placed otherwise", () => {
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

it("retries undecided submissions without delaying replies to the decided ones", () => {
  const { calls, pass, push, replies, settle } = scene()
  push(1, 2)
  settle()
  calls[0]!.done([refused(1, "AccountLoading"), forwarded(2)])
  expect(replies).toEqual([forwarded(2)])
  settle()
  expect(calls[1]).toMatchObject({ ids: [idOf(1).d], isRepeated: false })
  pass(5_001)
  calls[1]!.done([refused(1, "AccountLoading")])
  settle()
  expect(replies).toEqual([forwarded(2), refused(1, "AccountLoading")])
})

it("a trader that cannot be loaded does not delay other users of the same desk", () => {
  const { calls, push, pushOf, replies, send, settle } = scene()
  push(1)
  pushOf(other, 2)
  send()
  push(3)
  pushOf(other, 4)
  calls[0]!.done([refused(1, "AccountLoading"), forwarded(2)])
  for (const n of [4, 5, 6]) {
    send()
    expect(calls.at(-1)!.ids).toEqual([idOf(n).d])
    calls.at(-1)!.done([forwarded(n)])
    pushOf(other, n + 1)
  }
  expect(replies).toEqual([2, 4, 5, 6].map(forwarded))
  settle()
  const own = calls.find(({ ids }) => ids.includes(idOf(3).d))!
  expect(own.ids).toEqual([idOf(1).d, idOf(3).d])
  own.done([forwarded(1), forwarded(3)])
  expect(replies).toEqual([2, 4, 5, 6, 1, 3].map(forwarded))
})

it("once a trader has loaded, immediately sends the trader's queued submissions", () => {
  const { calls, push, pushOf, replies, send, settle, slept } = scene()
  push(1)
  send()
  calls[0]!.done([refused(1, "AccountLoading")])
  settle()
  push(2)
  pushOf(other, 3)
  calls[1]!.done([forwarded(1)])
  send()
  expect(calls[2]!.ids).toEqual([idOf(3).d, idOf(2).d])
  calls[2]!.done([forwarded(3), forwarded(2)])
  push(4)
  pushOf(other, 5)
  settle()
  expect(calls[3]!.ids).toEqual([idOf(4).d, idOf(5).d])
  expect(slept.filter((millis) => millis < 1_000)).toEqual([50])
  expect(replies).toEqual([1, 3, 2].map(forwarded))
})

it("after a failed call, resends a loading trader's undecided submissions before that trader's later submissions", () => {
  const { calls, outstanding, push, send, settle } = scene()
  push(1)
  send()
  outstanding.add(1)
  calls[0]!.done([forwarded(1)])
  push(2)
  send()
  calls[1]!.done([refused(2, "AccountLoading")])
  push(3)
  while (calls.length < 3) settle()
  calls[2]!.done(undefined)
  settle()
  expect(calls[3]).toMatchObject({ ids: [1, 2, 3].map((n) => idOf(n).d), isRepeated: true })
})

it("executes a user's commands in order and replies to each, whichever calls are lost and whenever the trader loads", () => {
  const users = [userId, other, UserId.make("a third user")]
  const who = fc.nat({ max: users.length - 1 })
  const step = fc.oneof(
    fc.record({ what: fc.constant("push" as const), who }),
    fc.record({ what: fc.constant("load or drop" as const), who }),
    fc.record({
      what: fc.constantFrom("answer" as const, "lose the call" as const, "lose the answer" as const),
      which: fc.nat()
    }),
    fc.constant({ what: "settle" as const })
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { calls, pushOf, replies, send, settle } = scene()
      const owner = new Map<number, number>()
      const loaded = new Set([0, 1, 2])
      const done: Array<number> = []
      const open = () => calls.filter(({ ids }) => ids.length > 0 && !over.has(ids))
      const over = new Set<ReadonlyArray<number>>()
      const answer = (how: "answer" | "lose the call" | "lose the answer", which: number) => {
        const call = open()[which % Math.max(1, open().length)]
        if (call === undefined) return
        over.add(call.ids)
        const numbers = call.ids.map((word) => [...owner.keys()].find((n) => idOf(n).d === word)!)
        const answers = numbers.map((n) => {
          if (how === "lose the call" || !loaded.has(owner.get(n)!)) return refused(n, "AccountLoading")
          if (!done.includes(n)) done.push(n)
          return forwarded(n)
        })
        call.done(how === "answer" ? answers : undefined)
      }
      let count = 0
      for (const each of steps) {
        if (each.what === "push") {
          owner.set(++count, each.who)
          pushOf(users[each.who]!, count)
          send()
        } else if (each.what === "load or drop") {
          if (!loaded.delete(each.who)) loaded.add(each.who)
        } else if (each.what === "settle") settle()
        else answer(each.what, each.which)
      }
      for (const n of [0, 1, 2]) loaded.add(n)
      do {
        while (open().length > 0) answer("answer", 0)
        settle()
      } while (open().length > 0)
      for (const n of [0, 1, 2]) {
        const own = done.filter((one) => owner.get(one) === n)
        expect(own).toEqual(own.toSorted((a, b) => a - b))
      }
      expect(replies).toHaveLength(count)
    })
  )
})

it("whenReplied also waits for submissions that are resent", () => {
  const { calls, push, queue, settle } = scene()
  let told = 0
  push(1)
  queue.whenReplied(userId, () => void told++)
  settle()
  calls[0]!.done(undefined)
  settle()
  expect(told).toBe(0)
  calls[1]!.done([forwarded(1)])
  expect(told).toBe(1)
})

it("whenReplied does not wait for replies to other users", () => {
  const { calls, push, pushOf, queue, send, settle } = scene()
  const told: Array<string> = []
  push(1)
  queue.whenReplied(userId, () => void told.push("one"))
  queue.whenReplied(other, () => void told.push("nothing to wait for"))
  pushOf(other, 2)
  send()
  queue.whenReplied(other, () => void told.push("another"))
  calls[0]!.done([refused(1, "AccountLoading"), forwarded(2)])
  expect(told).toEqual(["nothing to wait for", "another"])
  settle()
  push(3)
  calls[1]!.done([forwarded(1)])
  expect(told).toEqual(["nothing to wait for", "another", "one"])
})

it("I8, I51: replies once per submission, and reports a submission as not placed only if it cannot have been executed", () => {
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
        if (how === "answer") call.done(ids.map(forwarded))
        else if (how === "not yet")
          call.done(ids.map((n) => (done.has(n) ? forwarded(n) : refused(n, "AccountLoading"))))
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
        if (done.has(n)) expect([forwarded(n), refused(n, "DeskUnreachable")]).toContainEqual(told[0])
      }
    })
  )
})
