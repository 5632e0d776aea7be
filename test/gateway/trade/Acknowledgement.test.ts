import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Acknowledgement from "@venue/gateway/trade/Acknowledgement"
import { expect, it } from "vitest"

const waiting = () => {
  const replies = Acknowledgement.make()
  const sent: Array<string> = []
  const send = (text: string) => void sent.push(text.includes('"ack"') ? "ack" : text)
  const done = () => void sent.push("done")
  Acknowledgement.begin(replies, "one", {
    incoming: '{"type":"cancel_all_orders"}',
    dueMillis: 5_000,
    done,
    isOfStop: false
  })
  const tell = (symbol: MarketSymbol, frame: string, last: boolean) =>
    Acknowledgement.tell(replies, "one", symbol, [frame], last, "", send)
  return { send, sent, replies, tell }
}

const begun = () => {
  const waited = waiting()
  Acknowledgement.turn(waited.replies, "one", waited.send)
  return waited
}

it("a cancel of all orders whose turn has not come is not said, however complete it is, and not given up", () => {
  const { send, sent, replies, tell } = waiting()
  Acknowledgement.touched(replies, "one", [MarketSymbol.make("A")], send)
  tell(MarketSymbol.make("A"), "a1", false)
  tell(MarketSymbol.make("A"), "", true)
  Acknowledgement.giveUp(replies, 5_000, () => send("unknown"), send)
  expect(sent).toEqual([])
  Acknowledgement.turn(replies, "one", send)
  expect(sent).toEqual(["ack", "a1", "done"])
  Acknowledgement.turn(replies, "one", send)
  expect(sent).toEqual(["ack", "a1", "done"])
})

it("a cancel of all orders is acknowledged once every market it touched has answered, and told order by order after that", () => {
  const { send, sent, replies, tell } = begun()
  Acknowledgement.touched(replies, "one", [MarketSymbol.make("A"), MarketSymbol.make("B")], send)
  tell(MarketSymbol.make("A"), "a1", false)
  tell(MarketSymbol.make("B"), "b1", false)
  tell(MarketSymbol.make("A"), "", true)
  tell(MarketSymbol.make("B"), "b2", false)
  expect(sent).toEqual([])
  expect(replies.size).toBe(1)
  tell(MarketSymbol.make("B"), "", true)
  expect(sent).toEqual(["ack", "a1", "b1", "b2", "done"])
  expect(replies.size).toBe(0)
})

it("markets that answer before the desk has said which they are count as well", () => {
  const { send, sent, replies, tell } = begun()
  tell(MarketSymbol.make("A"), "a1", false)
  tell(MarketSymbol.make("A"), "", true)
  expect(sent).toEqual([])
  Acknowledgement.touched(replies, "one", [MarketSymbol.make("A")], send)
  expect(sent).toEqual(["ack", "a1", "done"])
})

it("a cancel of all orders that touches no market is acknowledged at once", () => {
  const { send, sent, replies } = begun()
  Acknowledgement.touched(replies, "one", [], send)
  expect(sent).toEqual(["ack", "done"])
})

it("what is told of another command belongs to no cancel of all orders", () => {
  const { send, sent, replies } = begun()
  expect(Acknowledgement.tell(replies, "two", MarketSymbol.make("A"), ["x"], true, "", send)).toBe(false)
  expect(Acknowledgement.tell(replies, "", MarketSymbol.make("A"), ["x"], true, "", send)).toBe(false)
  Acknowledgement.touched(replies, "two", [], send)
  expect(sent).toEqual([])
})

it("one that is refused is outstanding no longer, and what was told of it is sent", () => {
  const { send, sent, replies, tell } = begun()
  tell(MarketSymbol.make("A"), "a1", false)
  Acknowledgement.refuse(replies, "one", "refused", send)
  expect(sent).toEqual(["refused", "a1", "done"])
  expect(tell(MarketSymbol.make("A"), "", true)).toBe(false)
})

it("a refusal waits for its turn too, and one of a cancel that was given up is said", () => {
  const { send, sent, replies } = waiting()
  Acknowledgement.refuse(replies, "one", "refused", send)
  expect(sent).toEqual([])
  Acknowledgement.turn(replies, "one", send)
  expect(sent).toEqual(["refused", "done"])
  Acknowledgement.refuse(replies, "one", "late", send)
  expect(sent).toEqual(["refused", "done", "late"])
})

it("one that is overdue is given up with what was told of it; one that is not is waited for", () => {
  const { send, sent, replies, tell } = begun()
  tell(MarketSymbol.make("A"), "a1", false)
  const unknown = (incoming: string | undefined) => send(`unknown ${incoming}`)
  Acknowledgement.giveUp(replies, 4_999, unknown, send)
  expect(sent).toEqual([])
  Acknowledgement.giveUp(replies, 5_000, unknown, send)
  expect(sent).toEqual(['unknown {"type":"cancel_all_orders"}', "a1", "done"])
  expect(tell(MarketSymbol.make("A"), "", true)).toBe(false)
})

it("what its market refuses of a command about a stop is an error in place of the acknowledgement", () => {
  const sent: Array<string> = []
  const send = (text: string) => void sent.push(text)
  for (const isOfStop of [true, false]) {
    const replies = Acknowledgement.make()
    Acknowledgement.begin(replies, "one", { incoming: undefined, dueMillis: 5_000, done: () => {}, isOfStop })
    Acknowledgement.touched(replies, "one", [MarketSymbol.make("A")], send)
    Acknowledgement.turn(replies, "one", send)
    Acknowledgement.tell(replies, "one", MarketSymbol.make("A"), ["told"], true, "REJECTED", send)
  }
  expect(sent.map((text) => (text.includes("InvalidOrder") ? "error" : text.includes('"ack"') ? "ack" : text))).toEqual(
    ["error", "ack", "told"]
  )
})
