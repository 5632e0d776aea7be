import { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import * as Backpressure from "@venue/gateway/trade/Backpressure"
import {
  type ExpectedAcknowledgement,
  type ExpectedOrder,
  type ExpectedQuery,
  unordered
} from "@venue/gateway/trade/ExpectedReply"
import { Replies } from "@venue/gateway/trade/Replies"
import { Id } from "@venue/domain/Id"
import { noCost } from "@venue/cluster/protocol/Desk"
import { expect, it } from "vitest"

const start = () => {
  const backpressure = Backpressure.make(Backpressure.makeTotal(), { pause: () => {}, resume: () => {} })
  const sent: Array<string> = []
  const replies = new Replies(
    backpressure,
    () => true,
    (text) => void sent.push(text)
  )
  return { outstanding: backpressure.outstanding, replies, sent }
}

const order = (
  commandId: string,
  symbol: MarketSymbol,
  ordering: ExpectedOrder["ordering"] = "bySymbol"
): ExpectedOrder => ({
  _tag: "Order",
  ordering,
  commandId,
  symbol,
  request: commandId,
  dueMillis: 5_000,
  submission: {
    userId: UserId.make("u"),
    cost: noCost,
    request: {
      _tag: "CancelAllOrders",
      cause: "REQUEST",
      commandId: new Id(0, 0, 0, 1),
      expiresAtMillis: 0,
      accountId: AccountId.make("u"),
      symbol
    }
  }
})

const cancelAll = (symbol: string, isOfStop = false): ExpectedAcknowledgement => ({
  ...order("cancel all", MarketSymbol.make(symbol)),
  _tag: "Acknowledgement",
  isOfStop
})

it("a cancel of all orders is acknowledged when each market has answered, and then told market by market in the order of its log", () => {
  const { outstanding, replies, sent } = start()
  const [a, b] = [MarketSymbol.make("A"), MarketSymbol.make("B")]
  const all = cancelAll("")
  replies.expect(all)
  replies.expect(order("a1", a))
  replies.handedOn(all, [a, b])
  replies.tell(b, "cancel all", "stop b0", "b0 cancelled", false, "")
  replies.tell(a, "cancel all", "", "a0 cancelled", false, "")
  replies.tell(a, "cancel all", "", "", true, "")
  replies.tell(a, "a1", "", "a1 acknowledged", true, "")
  replies.tell(a, "of another connection", "", "a1 filled", false, "")
  expect(sent).toEqual([])
  replies.tell(b, "cancel all", "", "", true, "")
  expect(sent.map((text) => (text.includes('"ack"') ? "ack" : text))).toEqual([
    "ack",
    "a0 cancelled",
    "a1 acknowledged",
    "a1 filled",
    "stop b0",
    "b0 cancelled"
  ])
  expect(outstanding.weight).toBe(0)
})

it("I22: an order that came after a cancel of all orders, and that the market took before it, is acknowledged before it is cancelled", () => {
  const { outstanding, replies, sent } = start()
  const a = MarketSymbol.make("A")
  const all = cancelAll("A")
  replies.expect(all)
  replies.expect(order("a1", a))
  replies.handedOn(all, [a])
  replies.tell(a, "a1", "", "a1 acknowledged", true, "")
  replies.tell(a, "cancel all", "", "a1 cancelled", false, "")
  replies.tell(a, "cancel all", "", "", true, "")
  expect(sent).toEqual([expect.stringContaining('"ack"'), "a1 acknowledged", "a1 cancelled"])
  expect(outstanding.weight).toBe(0)
})

it("what was told of a cancel of all orders is sent behind its refusal, and where it is given up", () => {
  for (const isRefused of [true, false]) {
    const { outstanding, replies, sent } = start()
    const all = cancelAll("")
    replies.expect(all)
    replies.tell(MarketSymbol.make("A"), "cancel all", "", "a0 cancelled", false, "")
    if (isRefused) replies.answer(all, "refused")
    else replies.giveUp(5_000)
    const said = isRefused ? "refused" : expect.stringContaining("the outcome is not known yet")
    expect(sent).toEqual([said, "a0 cancelled"])
    expect(outstanding.weight).toBe(0)
  }
})

it("what its market refuses of a command about a stop is an error in place of the acknowledgement", () => {
  for (const isOfStop of [true, false]) {
    const { replies, sent } = start()
    const all = cancelAll("A", isOfStop)
    replies.expect(all)
    replies.handedOn(all, [MarketSymbol.make("A")])
    replies.tell(MarketSymbol.make("A"), "cancel all", "", "told", true, "REJECTED")
    const said = (text: string) => (text.includes("InvalidOrder") ? "error" : text.includes('"ack"') ? "ack" : text)
    expect(sent.map(said)).toEqual(isOfStop ? ["error"] : ["ack", "told"])
  }
})

it("rule 21.4: a query about all symbols is asked after all before it, and what came after it waits for its answer", () => {
  const { outstanding, replies, sent } = start()
  let answer: ((frame: string) => void) | undefined
  const query: ExpectedQuery = {
    ...unordered,
    ordering: "afterAll",
    commandId: "all",
    request: "all",
    ask: (told) => void (answer = told)
  }
  replies.expect(order("a1", MarketSymbol.make("A")))
  replies.expect(order("b1", MarketSymbol.make("B")))
  replies.expect(query)
  replies.expect(order("a2", MarketSymbol.make("A")))
  replies.tell(MarketSymbol.make("A"), "a1", "", "a1 told", true, "")
  replies.tell(MarketSymbol.make("A"), "a2", "", "a2 told", true, "")
  expect(answer).toBeUndefined()
  replies.answer(order("b1", MarketSymbol.make("B")), "b1 refused")
  expect(sent).toEqual(["a1 told", "b1 refused"])
  answer!("all answered")
  expect(sent).toEqual(["a1 told", "b1 refused", "all answered", "a2 told"])
  expect(outstanding.weight).toBe(0)
})

it("an order for a symbol that nobody lists waits for no other, and is outstanding until its desk has said something", () => {
  const { outstanding, replies, sent } = start()
  const [refused, handedOn] = [
    order("refused", MarketSymbol.make("MOON"), "none"),
    order("handed on", MarketSymbol.make("MOON"), "none")
  ]
  replies.expect(order("a1", MarketSymbol.make("A")))
  replies.expect(refused)
  replies.expect(handedOn)
  expect(outstanding.weight).toBe(3)
  replies.answer(refused, "BAD_SYMBOL")
  replies.handedOn(handedOn, [])
  expect(sent).toEqual(["BAD_SYMBOL"])
  expect(outstanding.weight).toBe(1)
})

it("I51: that an outcome is unknown is said once, and not at all where the log has told it", () => {
  const { replies, sent } = start()
  const symbol = MarketSymbol.make("A")
  const [told, late, lost] = ["told", "late", "lost"].map((name) => order(name, symbol))
  for (const expected of [told!, late!, lost!]) replies.expect(expected)
  replies.tell(symbol, "told", "", "told", true, "")
  replies.unknown(told!, "unknown")
  expect(sent).toEqual(["told"])
  replies.unknown(lost!, "lost is unknown")
  replies.giveUp(5_000)
  expect(sent).toHaveLength(3)
  expect(sent[1]).toContain("the outcome is not known yet")
  expect(sent[2]).toBe("lost is unknown")
  replies.unknown(late!, "unknown")
  expect(sent).toHaveLength(3)
})
