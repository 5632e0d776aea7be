import * as ReplyBarrier from "@venue/gateway/trade/ReplyBarrier"
import * as ReplyQueue from "@venue/gateway/trade/ReplyQueue"
import { expect, it } from "vitest"

const start = () => {
  const barriers = ReplyBarrier.make()
  const outstanding = { weight: 0 }
  const sent: Array<string> = []
  const makeQueue = () => ReplyQueue.make({ outstanding, send: (frame) => void sent.push(frame) })
  const enter = (id: string, queues: ReadonlyArray<ReplyQueue.ReplyQueue>, isOfAll = true) =>
    ReplyBarrier.enter(barriers, { id, queues, isOfAll, start: () => void sent.push(`${id} starts`) })
  const pend = (queue: ReplyQueue.ReplyQueue, commandId: string) =>
    ReplyQueue.expect(queue, { commandId, request: "", dueMillis: 5_000 })
  const accept = (queue: ReplyQueue.ReplyQueue, commandId: string) =>
    ReplyQueue.deliverEvent(queue, { commandId, frame: `${commandId} accepted`, isLast: true, orderId: "" })
  return { accept, barriers, enter, makeQueue, outstanding, pend, sent }
}

it("starts a query when the query is first in every queue, and holds back later replies until the query has ended", () => {
  const { accept, barriers, enter, makeQueue, outstanding, pend, sent } = start()
  const [a, b] = [makeQueue(), makeQueue()]
  pend(a, "a1")
  pend(b, "b1")
  enter("all", [a, b])
  pend(a, "a2")
  accept(a, "a1")
  accept(a, "a2")
  expect(sent).toEqual(["a1 accepted"])
  accept(b, "b1")
  expect(sent).toEqual(["a1 accepted", "b1 accepted", "all starts"])
  ReplyBarrier.leave(barriers, "all")
  expect(sent).toEqual(["a1 accepted", "b1 accepted", "all starts", "a2 accepted"])
  expect(outstanding.weight).toBe(0)
})

it("starts a query only one time, and immediately if no queue has a pending command", () => {
  const { accept, barriers, enter, makeQueue, pend, sent } = start()
  enter("empty", [])
  expect(sent).toEqual(["empty starts"])
  const late = makeQueue()
  ReplyBarrier.extend(barriers, late)
  pend(late, "after")
  accept(late, "after")
  expect(sent).toEqual(["empty starts"])
  ReplyBarrier.leave(barriers, "empty")
  expect(sent).toEqual(["empty starts", "after accepted"])
})

it("adds pending queries about all symbols to a new queue, in their order of arrival", () => {
  const { barriers, enter, makeQueue, pend, sent } = start()
  const old = makeQueue()
  pend(old, "first")
  enter("one", [old])
  enter("two", [old])
  enter("of the old queue", [old], false)
  const late = makeQueue()
  ReplyBarrier.extend(barriers, late)
  expect(late.entries.map(({ commandId }) => commandId)).toEqual(["one", "two"])
  ReplyQueue.deliverEvent(old, { commandId: "first", frame: "", isLast: true, orderId: "" })
  ReplyBarrier.leave(barriers, "one")
  ReplyBarrier.leave(barriers, "two")
  expect(sent).toEqual(["one starts", "two starts", "of the old queue starts"])
})

it("a query that ends early does not delay other replies, and ending the query again has no effect", () => {
  const { accept, barriers, enter, makeQueue, pend, sent } = start()
  const queue = makeQueue()
  pend(queue, "first")
  enter("all", [queue])
  pend(queue, "last")
  ReplyBarrier.leave(barriers, "all")
  ReplyBarrier.leave(barriers, "all")
  accept(queue, "last")
  accept(queue, "first")
  expect(sent).toEqual(["first accepted", "last accepted"])
})
