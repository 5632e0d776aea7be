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
  const answered = (symbol: string) => Acknowledgement.answered(replies, "one", MarketSymbol.make(symbol), send)
  return { send, sent, replies, answered }
}

const begun = () => {
  const waited = waiting()
  Acknowledgement.turn(waited.replies, "one", waited.send)
  return waited
}

it("a cancel of all orders whose turn has not come is not said, however complete it is, and not given up", () => {
  const { answered, send, sent, replies } = waiting()
  Acknowledgement.touched(replies, "one", [MarketSymbol.make("A")], send)
  answered("A")
  Acknowledgement.giveUp(replies, 5_000, () => send("unknown"))
  expect(sent).toEqual([])
  Acknowledgement.turn(replies, "one", send)
  expect(sent).toEqual(["ack", "done"])
  Acknowledgement.turn(replies, "one", send)
  expect(sent).toEqual(["ack", "done"])
})

it("a cancel of all orders is acknowledged once every market it touched has answered", () => {
  const { answered, send, sent, replies } = begun()
  Acknowledgement.touched(replies, "one", [MarketSymbol.make("A"), MarketSymbol.make("B")], send)
  answered("A")
  answered("A")
  expect(sent).toEqual([])
  expect(replies.size).toBe(1)
  answered("B")
  expect(sent).toEqual(["ack", "done"])
  expect(replies.size).toBe(0)
})

it("markets that answer before the desk has said which they are count as well", () => {
  const { answered, send, sent, replies } = begun()
  answered("A")
  expect(sent).toEqual([])
  Acknowledgement.touched(replies, "one", [MarketSymbol.make("A")], send)
  expect(sent).toEqual(["ack", "done"])
})

it("a cancel of all orders that touches no market is acknowledged at once", () => {
  const { send, sent, replies } = begun()
  Acknowledgement.touched(replies, "one", [], send)
  expect(sent).toEqual(["ack", "done"])
})

it("what is told of another command belongs to no cancel of all orders", () => {
  const { send, sent, replies } = begun()
  Acknowledgement.answered(replies, "two", MarketSymbol.make("A"), send)
  Acknowledgement.touched(replies, "two", [], send)
  expect(sent).toEqual([])
})

it("one that is refused is outstanding no longer", () => {
  const { answered, send, sent, replies } = begun()
  Acknowledgement.refuse(replies, "one", "refused", send)
  answered("A")
  expect(sent).toEqual(["refused", "done"])
  expect(replies.size).toBe(0)
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

it("one that is overdue is given up; one that is not is waited for", () => {
  const { answered, send, sent, replies } = begun()
  const unknown = (incoming: string | undefined) => send(`unknown ${incoming}`)
  Acknowledgement.giveUp(replies, 4_999, unknown)
  expect(sent).toEqual([])
  Acknowledgement.giveUp(replies, 5_000, unknown)
  answered("A")
  expect(sent).toEqual(['unknown {"type":"cancel_all_orders"}', "done"])
  expect(replies.size).toBe(0)
})
