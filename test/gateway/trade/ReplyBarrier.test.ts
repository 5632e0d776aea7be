import * as ReplyBarrier from "@venue/gateway/trade/ReplyBarrier"
import * as ReplyQueue from "@venue/gateway/trade/ReplyQueue"
import { expect, it } from "vitest"

const scene = () => {
  const barriers = ReplyBarrier.make()
  const told: Array<string> = []
  const send = (text: string) => void told.push(text)
  const enter = (id: string, queues: ReadonlyArray<ReplyQueue.ReplyQueue>, isOfAll = true) =>
    ReplyBarrier.enter(barriers, id, queues, isOfAll, () => send(`${id} starts`))
  return { barriers, enter, send, told }
}

it("it starts once nothing is before it in any of its queues, and what came after it waits until it leaves", () => {
  const { barriers, enter, send, told } = scene()
  const outstanding = { weight: 0 }
  const [a, b] = [ReplyQueue.make(outstanding), ReplyQueue.make(outstanding)]
  ReplyQueue.expect(a, { commandId: "a1", request: "", dueMillis: 5_000 })
  ReplyQueue.expect(b, { commandId: "b1", request: "", dueMillis: 5_000 })
  enter("all", [a, b])
  ReplyQueue.expect(a, { commandId: "a2", request: "", dueMillis: 5_000 })
  ReplyQueue.tell(a, "a1", "a1 told", true, send)
  ReplyQueue.tell(a, "a2", "a2 told", true, send)
  expect(told).toEqual(["a1 told"])
  ReplyQueue.tell(b, "b1", "b1 told", true, send)
  expect(told).toEqual(["a1 told", "b1 told", "all starts"])
  ReplyBarrier.leave(barriers, "all", send)
  expect(told).toEqual(["a1 told", "b1 told", "all starts", "a2 told"])
  expect(outstanding.weight).toBe(0)
})

it("it starts at once where nothing is before it, and once only", () => {
  const { barriers, enter, send, told } = scene()
  enter("nothing", [])
  expect(told).toEqual(["nothing starts"])
  const late = ReplyQueue.make({ weight: 0 })
  ReplyBarrier.extend(barriers, late)
  ReplyQueue.expect(late, { commandId: "after", request: "", dueMillis: 5_000 })
  ReplyQueue.tell(late, "after", "after told", true, send)
  expect(told).toEqual(["nothing starts"])
  ReplyBarrier.leave(barriers, "nothing", send)
  expect(told).toEqual(["nothing starts", "after told"])
})

it("a new queue holds what is of all symbols, in the order in which it came", () => {
  const { barriers, enter, send, told } = scene()
  const old = ReplyQueue.make({ weight: 0 })
  ReplyQueue.expect(old, { commandId: "first", request: "", dueMillis: 5_000 })
  enter("one", [old])
  enter("two", [old])
  enter("of the old", [old], false)
  const late = ReplyQueue.make({ weight: 0 })
  ReplyBarrier.extend(barriers, late)
  expect(late.entries.map(({ commandId }) => commandId)).toEqual(["one", "two"])
  ReplyQueue.tell(old, "first", "", true, send)
  ReplyBarrier.leave(barriers, "one", send)
  ReplyBarrier.leave(barriers, "two", send)
  expect(told).toEqual(["one starts", "two starts", "of the old starts"])
})

it("one that leaves before its turn is waited for no longer, and who has left may leave again", () => {
  const { barriers, enter, send, told } = scene()
  const queue = ReplyQueue.make({ weight: 0 })
  ReplyQueue.expect(queue, { commandId: "first", request: "", dueMillis: 5_000 })
  enter("all", [queue])
  ReplyQueue.expect(queue, { commandId: "last", request: "", dueMillis: 5_000 })
  ReplyBarrier.leave(barriers, "all", send)
  ReplyBarrier.leave(barriers, "all", send)
  ReplyQueue.tell(queue, "last", "last told", true, send)
  ReplyQueue.tell(queue, "first", "first told", true, send)
  expect(told).toEqual(["first told", "last told"])
})
