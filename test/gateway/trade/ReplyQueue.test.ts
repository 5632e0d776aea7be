import * as ReplyQueue from "@venue/gateway/trade/ReplyQueue"
import * as fc from "fast-check"
import { expect, it } from "vitest"

/** A queue and the frames that it sent. */
const start = () => {
  const sent: Array<string> = []
  const send = (frame: string) => void sent.push(frame)
  const queue = ReplyQueue.make({ outstanding: { weight: 0 }, send })
  return {
    queue,
    sent,
    expect: (id: string, due = 1_000) =>
      ReplyQueue.expect(queue, { commandId: id, request: `request ${id}`, dueMillis: due }),
    query: (id: string, begin = () => {}) =>
      ReplyQueue.enqueueQuery(queue, { commandId: id, request: `request ${id}`, start: begin }),
    deliver: (commandId: string, frame: string, isLast = true, orderId = commandId) =>
      ReplyQueue.deliverEvent(queue, { commandId, frame, isLast, orderId }),
    deliverAfter: (commandId: string, frame: string) =>
      ReplyQueue.deliverAfterAcknowledgement(queue, { commandId, frame, orderId: "" }),
    answer: (id: string, frame: string) => ReplyQueue.answer(queue, id, frame),
    giveUp: (now: number) => ReplyQueue.giveUp(queue, now, (request) => send(`unknown ${request}`))
  }
}

it("rule 21.4: sends the events of a later command after the desk's reply to an earlier one", () => {
  const { answer, expect: expectReply, sent, deliver } = start()
  expectReply("a")
  expectReply("b")
  deliver("b", "ACK b")
  deliver("", "fill of b", false)
  expect(sent).toEqual([])
  answer("a", "RateLimited a")
  expect(sent).toEqual(["RateLimited a", "ACK b", "fill of b"])
})

it("I35: sends a fill before a later cancel, although a desk replied to a later command first", () => {
  const { answer, expect: expectReply, sent, deliver } = start()
  expectReply("cancel")
  expectReply("limited")
  answer("limited", "RateLimited")
  deliver("", "FILLED", false)
  deliver("cancel", "CANCELLED", false)
  deliver("cancel", "")
  expect(sent).toEqual(["FILLED", "CANCELLED", "RateLimited"])
})

it("sends all frames of a command at the command's turn, and completes the command when an empty frame arrives", () => {
  const { expect: expectReply, sent, deliver } = start()
  expectReply("a")
  expectReply("cancel")
  expectReply("c")
  deliver("cancel", "CANCELLED 1", false)
  deliver("cancel", "CANCELLED 2", false)
  deliver("cancel", "")
  deliver("c", "ACK c")
  deliver("a", "ACK a")
  expect(sent).toEqual(["ACK a", "CANCELLED 1", "CANCELLED 2", "ACK c"])
})

it("I22: acknowledges an order before its cancellation if the market processed the order before an earlier cancel", () => {
  const { answer, expect: expectReply, queue, sent, deliver } = start()
  expectReply("cancel")
  expectReply("desk")
  expectReply("b")
  expectReply("other")
  deliver("b", "ACK b")
  deliver("other", "ACK other")
  deliver("cancel", "CANCELLED earlier", false, "earlier")
  deliver("cancel", "CANCELLED b", false, "b")
  deliver("cancel", "")
  expect(sent).toEqual(["CANCELLED earlier"])
  answer("desk", "RateLimited")
  expect(sent).toEqual(["CANCELLED earlier", "RateLimited", "ACK b", "CANCELLED b", "ACK other"])
  expect(queue).toMatchObject({ entries: [], recorded: 0, outstanding: { weight: 0 } })
})

it("I22: sends an order's queued MODIFIED before its CANCELLED if the market processed a later command first", () => {
  const { expect: expectReply, sent, deliver } = start()
  expectReply("cancel")
  expectReply("b")
  deliver("b", "ACK b")
  deliver("", "MODIFIED a", false, "a")
  expect(sent).toEqual([])
  deliver("cancel", "CANCELLED a", false, "a")
  deliver("cancel", "")
  expect(sent).toEqual(["ACK b", "MODIFIED a", "CANCELLED a"])
})

it("sends the events of an acknowledged command after the acknowledgement, in log order", () => {
  const { answer, query, expect: expectReply, queue, sent, deliver, deliverAfter } = start()
  query("cancel all")
  deliverAfter("cancel all", "CANCELLED 1")
  expectReply("a")
  deliver("a", "ACK a")
  deliverAfter("cancel all", "CANCELLED a")
  deliver("", "FILLED 2", false)
  expect(sent).toEqual([])
  answer("cancel all", "acknowledged")
  expect(sent).toEqual(["acknowledged", "CANCELLED 1", "ACK a", "CANCELLED a", "FILLED 2"])
  expect(queue).toMatchObject({ entries: [], recorded: 0, outstanding: { weight: 0 } })
})

it("starts a query once every earlier request has its reply, and sends later replies after the query's result", () => {
  const { answer, query, expect: expectReply, sent, deliver } = start()
  const started: Array<string> = []
  query("free", () => started.push("free"))
  expect(started).toEqual(["free"])
  answer("free", "at once")
  expectReply("a")
  query("query", () => started.push("query"))
  expectReply("b")
  deliver("b", "ACK b")
  expect(started).toEqual(["free"])
  deliver("a", "ACK a")
  expect(started).toEqual(["free", "query"])
  expect(sent).toEqual(["at once", "ACK a"])
  answer("query", "answer")
  expect(sent).toEqual(["at once", "ACK a", "answer", "ACK b"])
})

it("I51: reports an overdue command as unknown at its turn, and sends the outcome when it arrives", () => {
  const { expect: expectReply, giveUp, sent, deliver } = start()
  expectReply("a", 10)
  expectReply("b", 20)
  deliver("b", "ACK b")
  expectReply("c", 30)
  giveUp(9)
  expect(sent).toEqual([])
  giveUp(15)
  expect(sent).toEqual(["unknown request a", "ACK b"])
  deliver("a", "ACK a")
  deliver("c", "ACK c")
  expect(sent).toEqual(["unknown request a", "ACK b", "ACK a", "ACK c"])
})

it("I48: charges pending requests and waiting frames for their length until they are sent or abandoned", () => {
  const { answer, expect: expectReply, giveUp, queue, deliver } = start()
  const long = "x".repeat(64 * 1_024)
  ReplyQueue.expect(queue, { commandId: "a", request: long, dueMillis: 10 })
  expectReply("b")
  ReplyQueue.enqueueQuery(queue, { commandId: "c", request: long, start: () => {} })
  expect(queue.outstanding.weight).toBe(65 + 1 + 65)
  deliver("b", long, false)
  expect(queue.outstanding.weight).toBe(65 + 65 + 1 + 65)
  deliver("b", "")
  answer("c", "short")
  expect(queue.outstanding.weight).toBe(65 + 65 + 1 + 1)
  giveUp(15)
  expect(queue.entries).toHaveLength(0)
  expect(queue.outstanding.weight).toBe(0)
})

/**
 * Commands are sent in order. A market's log contains the outcomes of its commands in order, mixed with events of
 * other clients. A desk replies to its commands at any time after they were sent.
 */
it("rule 21.4: sends replies in command order and events in log order, however desk replies and log events interleave", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("market", "desk", "event"), { maxLength: 40 }),
      fc.infiniteStream(fc.nat()),
      (kinds, chance) => {
        const { answer, query, expect: expectReply, queue, sent, deliver } = start()
        const log: Array<string> = []
        const desk: Array<string> = []
        let sending = 0
        const pick = (n: number) => chance.next().value! % n
        while (sending < kinds.length || log.length > 0 || desk.length > 0) {
          const step = pick(3)
          if (step === 0 && sending < kinds.length) {
            const id = `${sending} ${kinds[sending]}`
            if (kinds[sending] !== "event") expectReply(id)
            if (kinds[sending] === "desk") desk.push(id)
            else log.push(id)
            sending++
            // One command in five is followed by a query with a late result.
            if (pick(5) === 0) query(`${id} query`, () => desk.push(`${id} query`))
          } else if (step === 1 && log.length > 0) {
            const id = log.shift()!
            deliver(id.endsWith("event") ? "" : id, id, !id.endsWith("event"))
          } else if (step === 2 && desk.length > 0) {
            const [id] = desk.splice(pick(desk.length), 1)
            answer(id!, id!)
          }
          // Every entry is shorter than 1 KiB and weighs 1.
          expect(queue.outstanding.weight).toBe(queue.entries.length)
        }
        const numbersOf = (wanted: (text: string) => boolean) =>
          sent.filter(wanted).map((text) => Number.parseInt(text))
        const sorted = (numbers: ReadonlyArray<number>) => expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
        sorted(numbersOf((text) => !text.endsWith("event")))
        sorted(numbersOf((text) => text.endsWith("event") || text.endsWith("market")))
        expect(sent.filter((text) => !text.endsWith("query"))).toHaveLength(kinds.length)
        expect(queue.entries).toHaveLength(0)
      }
    )
  )
})

/** A market might process the commands of a connection in any order, for example while its owner changes. */
it("I22: keeps the events of each order in log order, in whatever order the market processes the commands", () => {
  const events = fc.array(fc.tuple(fc.boolean(), fc.constantFrom("a", "b", "c"), fc.nat()), { maxLength: 30 })
  fc.assert(
    fc.property(events, (log) => {
      const { expect: expectReply, queue, sent, deliver } = start()
      const own = log.flatMap(([isOwn, , rank], index) => (isOwn ? [{ id: `command ${index}`, rank }] : []))
      for (const { id } of own.toSorted((a, b) => a.rank - b.rank)) expectReply(id)
      for (const [index, [isOwn, orderId]] of log.entries()) {
        deliver(isOwn ? `command ${index}` : "", `${orderId} ${index}`, isOwn, orderId)
      }
      for (const order of ["a", "b", "c"]) {
        const numbers = sent.filter((frame) => frame.startsWith(order)).map((frame) => Number(frame.slice(2)))
        expect(numbers).toEqual(log.flatMap(([, orderId], index) => (orderId === order ? [index] : [])))
      }
      expect(queue).toMatchObject({ entries: [], recorded: 0, outstanding: { weight: 0 } })
    })
  )
})
