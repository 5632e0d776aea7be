import * as ReplyQueue from "@venue/gateway/trade/ReplyQueue"
import * as fc from "fast-check"
import { expect, it } from "vitest"

/** A queue with all it sent. */
const start = () => {
  const queue = ReplyQueue.make({ weight: 0 })
  const sent: Array<string> = []
  const send = (text: string) => void sent.push(text)
  return {
    queue,
    sent,
    expect: (id: string, due = 1_000) =>
      ReplyQueue.expect(queue, { commandId: id, request: `request ${id}`, dueMillis: due }),
    ask: (id: string, begin = () => {}) => ReplyQueue.ask(queue, id, `request ${id}`, begin),
    tell: (id: string, text: string, last = true, ended = "") => ReplyQueue.tell(queue, id, text, last, send, ended),
    tellAfter: (id: string, text: string) => ReplyQueue.tellAfter(queue, id, text),
    answer: (id: string, text: string) => ReplyQueue.answer(queue, id, text, send),
    giveUp: (now: number) => ReplyQueue.giveUp(queue, now, (request) => send(`unknown ${request}`), send)
  }
}

it("rule 21.4: what the log tells of a later command waits for the desk's answer to an earlier one", () => {
  const { answer, expect: expectReply, sent, tell } = start()
  expectReply("a")
  expectReply("b")
  tell("b", "ACK b")
  tell("", "fill of b", false)
  expect(sent).toEqual([])
  answer("a", "RateLimited a")
  expect(sent).toEqual(["RateLimited a", "ACK b", "fill of b"])
})

it("I35: what a desk answers early holds up no event: a fill before a cancel is told before it", () => {
  const { answer, expect: expectReply, sent, tell } = start()
  expectReply("cancel")
  expectReply("limited")
  answer("limited", "RateLimited")
  tell("", "FILLED", false)
  tell("cancel", "CANCELLED", false)
  tell("cancel", "")
  expect(sent).toEqual(["FILLED", "CANCELLED", "RateLimited"])
})

it("all that a command says is sent at its turn, and its last word need not be said", () => {
  const { expect: expectReply, sent, tell } = start()
  expectReply("a")
  expectReply("cancel")
  expectReply("c")
  tell("cancel", "CANCELLED 1", false)
  tell("cancel", "CANCELLED 2", false)
  tell("cancel", "")
  tell("c", "ACK c")
  tell("a", "ACK a")
  expect(sent).toEqual(["ACK a", "CANCELLED 1", "CANCELLED 2", "ACK c"])
})

it("I22: an order that its market took before the cancel sent ahead of it is acknowledged before it is told to be cancelled", () => {
  const { answer, expect: expectReply, queue, sent, tell } = start()
  expectReply("cancel")
  expectReply("desk")
  expectReply("b")
  expectReply("other")
  tell("b", "ACK b")
  tell("other", "ACK other")
  tell("cancel", "CANCELLED earlier", false, "earlier")
  tell("cancel", "CANCELLED b", false, "b")
  tell("cancel", "")
  expect(sent).toEqual(["CANCELLED earlier"])
  answer("desk", "RateLimited")
  expect(sent).toEqual(["CANCELLED earlier", "RateLimited", "ACK b", "CANCELLED b", "ACK other"])
  expect(queue).toMatchObject({ entries: [], recorded: 0, outstanding: { weight: 0 } })
})

it("what the log tells of a command that is acknowledged first waits for that, and for what the log told before it", () => {
  const { answer, ask, expect: expectReply, queue, sent, tell, tellAfter } = start()
  ask("cancel all")
  tellAfter("cancel all", "CANCELLED 1")
  expectReply("a")
  tell("a", "ACK a")
  tellAfter("cancel all", "CANCELLED a")
  tell("", "FILLED 2", false)
  expect(sent).toEqual([])
  answer("cancel all", "acknowledged")
  expect(sent).toEqual(["acknowledged", "CANCELLED 1", "ACK a", "CANCELLED a", "FILLED 2"])
  expect(queue).toMatchObject({ entries: [], recorded: 0, outstanding: { weight: 0 } })
})

it("a query is asked when all before it is answered, and what comes after it waits for its answer", () => {
  const { answer, ask, expect: expectReply, sent, tell } = start()
  const asked: Array<string> = []
  ask("free", () => asked.push("free"))
  expect(asked).toEqual(["free"])
  answer("free", "at once")
  expectReply("a")
  ask("query", () => asked.push("query"))
  expectReply("b")
  tell("b", "ACK b")
  expect(asked).toEqual(["free"])
  tell("a", "ACK a")
  expect(asked).toEqual(["free", "query"])
  expect(sent).toEqual(["at once", "ACK a"])
  answer("query", "answer")
  expect(sent).toEqual(["at once", "ACK a", "answer", "ACK b"])
})

it("I51: an overdue command is called unknown at its turn; its outcome is told when it comes", () => {
  const { expect: expectReply, giveUp, sent, tell } = start()
  expectReply("a", 10)
  expectReply("b", 20)
  tell("b", "ACK b")
  expectReply("c", 30)
  giveUp(9)
  expect(sent).toEqual([])
  giveUp(15)
  expect(sent).toEqual(["unknown request a", "ACK b"])
  tell("a", "ACK a")
  tell("c", "ACK c")
  expect(sent).toEqual(["unknown request a", "ACK b", "ACK a", "ACK c"])
})

it("I48: what waits counts by its length, whether a request or what was told early, until it is sent or given up", () => {
  const { answer, expect: expectReply, giveUp, queue, tell } = start()
  const long = "x".repeat(64 * 1_024)
  ReplyQueue.expect(queue, { commandId: "a", request: long, dueMillis: 10 })
  expectReply("b")
  ReplyQueue.ask(queue, "c", long, () => {})
  expect(queue.outstanding.weight).toBe(65 + 1 + 65)
  tell("b", long, false)
  expect(queue.outstanding.weight).toBe(65 + 65 + 1 + 65)
  tell("b", "")
  answer("c", "short")
  expect(queue.outstanding.weight).toBe(65 + 65 + 1 + 1)
  giveUp(15)
  expect(queue.entries).toHaveLength(0)
  expect(queue.outstanding.weight).toBe(0)
})

/**
 * Commands leave in order. Those a market takes are answered by its log, in order and among events of others; those a
 * desk answers by itself are answered at any time after they left.
 */
it("rule 21.4: however desk and log interleave, answers keep the order of the commands and events that of the log", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("market", "desk", "event"), { maxLength: 40 }),
      fc.infiniteStream(fc.nat()),
      (kinds, chance) => {
        const { answer, ask, expect: expectReply, queue, sent, tell } = start()
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
            // Now and then a query whose answer takes its time.
            if (pick(5) === 0) ask(`${id} query`, () => desk.push(`${id} query`))
          } else if (step === 1 && log.length > 0) {
            const id = log.shift()!
            tell(id.endsWith("event") ? "" : id, id, !id.endsWith("event"))
          } else if (step === 2 && desk.length > 0) {
            const [id] = desk.splice(pick(desk.length), 1)
            answer(id!, id!)
          }
          // All of them are short.
          expect(queue.outstanding.weight).toBe(queue.entries.length)
        }
        const numbers = (wanted: (text: string) => boolean) => sent.filter(wanted).map((text) => Number.parseInt(text))
        const sorted = (found: ReadonlyArray<number>) => expect(found).toEqual(found.toSorted((a, b) => a - b))
        sorted(numbers((text) => !text.endsWith("event")))
        sorted(numbers((text) => text.endsWith("event") || text.endsWith("market")))
        expect(sent.filter((text) => !text.endsWith("query"))).toHaveLength(kinds.length)
        expect(queue.entries).toHaveLength(0)
      }
    )
  )
})
