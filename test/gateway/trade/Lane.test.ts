import * as Lane from "@venue/gateway/trade/Lane"
import * as fc from "fast-check"
import { expect, it } from "vitest"

/** A lane with all it sent. */
const start = () => {
  const lane = Lane.make({ owed: 0 })
  const sent: Array<string> = []
  const send = (text: string) => void sent.push(text)
  return {
    lane,
    sent,
    expect: (id: string, due = 1_000) => Lane.expect(lane, id, `request ${id}`, due),
    ask: (id: string, begin = () => {}) => Lane.ask(lane, id, `request ${id}`, begin),
    tell: (id: string, text: string, last = true) => Lane.tell(lane, id, text, last, send),
    answer: (id: string, text: string) => Lane.answer(lane, id, text, send),
    giveUp: (now: number) => Lane.giveUp(lane, now, (request) => send(`unknown ${request}`), send)
  }
}

it("rule 21.4: what the log tells of a later command waits for the desk's answer to an earlier one", () => {
  const { answer, expect: owe, sent, tell } = start()
  owe("a")
  owe("b")
  tell("b", "ACK b")
  tell("", "fill of b", false)
  expect(sent).toEqual([])
  answer("a", "RateLimited a")
  expect(sent).toEqual(["RateLimited a", "ACK b", "fill of b"])
})

it("I35: what a desk answers early holds up no fact: a fill before a cancel is told before it", () => {
  const { answer, expect: owe, sent, tell } = start()
  owe("cancel")
  owe("limited")
  answer("limited", "RateLimited")
  tell("", "FILLED", false)
  tell("cancel", "CANCELLED", false)
  tell("cancel", "")
  expect(sent).toEqual(["FILLED", "CANCELLED", "RateLimited"])
})

it("all that a command says is sent at its place, and its last word need not be said", () => {
  const { expect: owe, sent, tell } = start()
  owe("a")
  owe("cancel")
  owe("c")
  tell("cancel", "CANCELLED 1", false)
  tell("cancel", "CANCELLED 2", false)
  tell("cancel", "")
  tell("c", "ACK c")
  tell("a", "ACK a")
  expect(sent).toEqual(["ACK a", "CANCELLED 1", "CANCELLED 2", "ACK c"])
})

it("a question is asked when all before it is answered, and what comes after it waits for its answer", () => {
  const { answer, ask, expect: owe, sent, tell } = start()
  const asked: Array<string> = []
  ask("free", () => asked.push("free"))
  expect(asked).toEqual(["free"])
  answer("free", "at once")
  owe("a")
  ask("question", () => asked.push("question"))
  owe("b")
  tell("b", "ACK b")
  expect(asked).toEqual(["free"])
  tell("a", "ACK a")
  expect(asked).toEqual(["free", "question"])
  expect(sent).toEqual(["at once", "ACK a"])
  answer("question", "answer")
  expect(sent).toEqual(["at once", "ACK a", "answer", "ACK b"])
})

it("I51: an overdue command is called unknown in its place; its outcome is told when it comes", () => {
  const { expect: owe, giveUp, sent, tell } = start()
  owe("a", 10)
  owe("b", 20)
  tell("b", "ACK b")
  owe("c", 30)
  giveUp(9)
  expect(sent).toEqual([])
  giveUp(15)
  expect(sent).toEqual(["unknown request a", "ACK b"])
  tell("a", "ACK a")
  tell("c", "ACK c")
  expect(sent).toEqual(["unknown request a", "ACK b", "ACK a", "ACK c"])
})

it("I48: what waits counts by its length, whether a request or what was told early, until it is sent or given up", () => {
  const { answer, expect: owe, giveUp, lane, tell } = start()
  const long = "x".repeat(64 * 1_024)
  Lane.expect(lane, "a", long, 10)
  owe("b")
  Lane.ask(lane, "c", long, () => {})
  expect(lane.tally.owed).toBe(65 + 1 + 65)
  tell("b", long, false)
  expect(lane.tally.owed).toBe(65 + 65 + 1 + 65)
  tell("b", "")
  answer("c", "short")
  expect(lane.tally.owed).toBe(65 + 65 + 1 + 1)
  giveUp(15)
  expect(lane.entries).toHaveLength(0)
  expect(lane.tally.owed).toBe(0)
})

/**
 * Commands leave in order. Those a market takes are answered by its log, in order and among facts of others; those a
 * desk answers by itself are answered at any time after they left.
 */
it("rule 21.4: however desk and log interleave, answers keep the order of the commands and facts that of the log", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("market", "desk", "fact"), { maxLength: 40 }),
      fc.infiniteStream(fc.nat()),
      (kinds, chance) => {
        const { answer, ask, expect: owe, lane, sent, tell } = start()
        const log: Array<string> = []
        const desk: Array<string> = []
        let sending = 0
        const pick = (n: number) => chance.next().value! % n
        while (sending < kinds.length || log.length > 0 || desk.length > 0) {
          const step = pick(3)
          if (step === 0 && sending < kinds.length) {
            const id = `${sending} ${kinds[sending]}`
            if (kinds[sending] !== "fact") owe(id)
            if (kinds[sending] === "desk") desk.push(id)
            else log.push(id)
            sending++
            // Now and then a question whose answer takes its time.
            if (pick(5) === 0) ask(`${id} question`, () => desk.push(`${id} question`))
          } else if (step === 1 && log.length > 0) {
            const id = log.shift()!
            tell(id.endsWith("fact") ? "" : id, id, !id.endsWith("fact"))
          } else if (step === 2 && desk.length > 0) {
            const [id] = desk.splice(pick(desk.length), 1)
            answer(id!, id!)
          }
          // All of them are short.
          expect(lane.tally.owed).toBe(lane.entries.length)
        }
        const numbers = (wanted: (text: string) => boolean) => sent.filter(wanted).map((text) => Number.parseInt(text))
        const sorted = (found: ReadonlyArray<number>) => expect(found).toEqual(found.toSorted((a, b) => a - b))
        sorted(numbers((text) => !text.endsWith("fact")))
        sorted(numbers((text) => text.endsWith("fact") || text.endsWith("market")))
        expect(sent.filter((text) => !text.endsWith("question"))).toHaveLength(kinds.length)
        expect(lane.entries).toHaveLength(0)
      }
    )
  )
})
