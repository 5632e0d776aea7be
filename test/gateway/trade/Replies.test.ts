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
import { type EventReply, Replies } from "@venue/gateway/trade/Replies"
import { Id } from "@venue/domain/Id"
import { noCost } from "@venue/cluster/protocol/Desk"
import { expect, it } from "vitest"

const start = () => {
  const backpressure = Backpressure.make(Backpressure.makeTotal(), { pause: () => {}, resume: () => {} })
  const sent: Array<string> = []
  const replies = new Replies({ backpressure, isListed: () => true, send: (frame) => void sent.push(frame) })
  /** Delivers a market's event with the frame of the order that the event changed. */
  const deliver = (symbol: MarketSymbol, commandId: string, order: string, options: Partial<EventReply> = {}) =>
    replies.deliver({ ...plain, symbol, commandId, order, ...options })
  return { deliver, outstanding: backpressure.outstanding, replies, sent }
}

const plain = { detail: "", isLast: false, refusal: "", orderId: "" }
const last = { isLast: true }

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

const [a, b] = [MarketSymbol.make("A"), MarketSymbol.make("B")]

it("acknowledges a cancel-all once every market has committed, and then sends each market's events in log order", () => {
  const { deliver, outstanding, replies, sent } = start()
  const all = cancelAll("")
  replies.expect(all)
  replies.expect(order("a1", a))
  replies.forwarded(all, [a, b])
  deliver(b, "cancel all", "b0 cancelled", { detail: "stop b0" })
  deliver(a, "cancel all", "a0 cancelled")
  deliver(a, "cancel all", "", last)
  deliver(a, "a1", "a1 acknowledged", last)
  deliver(a, "of another connection", "a1 filled")
  expect(sent).toEqual([])
  deliver(b, "cancel all", "", last)
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

it("I22: acknowledges an order before its cancellation if the market processed the order before an earlier cancel-all", () => {
  const { deliver, outstanding, replies, sent } = start()
  const all = cancelAll("A")
  replies.expect(all)
  replies.expect(order("a1", a))
  replies.forwarded(all, [a])
  deliver(a, "a1", "a1 acknowledged", last)
  deliver(a, "cancel all", "a1 cancelled")
  deliver(a, "cancel all", "", last)
  expect(sent).toEqual([expect.stringContaining('"ack"'), "a1 acknowledged", "a1 cancelled"])
  expect(outstanding.weight).toBe(0)
})

it("sends a cancel-all's order responses after its refusal or the report of its unknown outcome", () => {
  for (const isRefused of [true, false]) {
    const { deliver, outstanding, replies, sent } = start()
    const all = cancelAll("")
    replies.expect(all)
    deliver(a, "cancel all", "a0 cancelled")
    if (isRefused) replies.answer(all, "refused")
    else replies.giveUp(5_000)
    const reply = isRefused ? "refused" : expect.stringContaining("the outcome is not known yet")
    expect(sent).toEqual([reply, "a0 cancelled"])
    expect(outstanding.weight).toBe(0)
  }
})

it("sends an error instead of an acknowledgement if the market refuses a stop command", () => {
  for (const isOfStop of [true, false]) {
    const { deliver, replies, sent } = start()
    const all = cancelAll("A", isOfStop)
    replies.expect(all)
    replies.forwarded(all, [a])
    deliver(a, "cancel all", "rejected", { isLast: true, refusal: "REJECTED" })
    const kindOf = (text: string) => (text.includes("InvalidOrder") ? "error" : text.includes('"ack"') ? "ack" : text)
    expect(sent.map(kindOf)).toEqual(isOfStop ? ["error"] : ["ack", "rejected"])
  }
})

it("rule 21.4: runs a query about all symbols after every earlier reply, and sends later replies after the query's result", () => {
  const { deliver, outstanding, replies, sent } = start()
  let answer: ((frame: string) => void) | undefined
  const query: ExpectedQuery = {
    ...unordered,
    ordering: "afterAll",
    commandId: "all",
    request: "all",
    run: (respond) => void (answer = respond)
  }
  replies.expect(order("a1", a))
  replies.expect(order("b1", b))
  replies.expect(query)
  replies.expect(order("a2", a))
  deliver(a, "a1", "a1 accepted", last)
  deliver(a, "a2", "a2 accepted", last)
  expect(answer).toBeUndefined()
  replies.answer(order("b1", b), "b1 refused")
  expect(sent).toEqual(["a1 accepted", "b1 refused"])
  answer!("all answered")
  expect(sent).toEqual(["a1 accepted", "b1 refused", "all answered", "a2 accepted"])
  expect(outstanding.weight).toBe(0)
})

it("sends the refusal of an order for an unlisted symbol as soon as the desk replies, ahead of other replies", () => {
  const { outstanding, replies, sent } = start()
  const moon = MarketSymbol.make("MOON")
  const [refused, forwarded] = [order("refused", moon, "none"), order("forwarded", moon, "none")]
  replies.expect(order("a1", a))
  replies.expect(refused)
  replies.expect(forwarded)
  expect(outstanding.weight).toBe(3)
  replies.answer(refused, "BAD_SYMBOL")
  replies.forwarded(forwarded, [])
  expect(sent).toEqual(["BAD_SYMBOL"])
  expect(outstanding.weight).toBe(1)
})

it("I51: reports an unknown outcome once, and never for a command whose outcome was delivered", () => {
  const { deliver, replies, sent } = start()
  const [delivered, late, lost] = [order("delivered", a), order("late", a), order("lost", a)]
  for (const expected of [delivered, late, lost]) replies.expect(expected)
  deliver(a, "delivered", "accepted", last)
  replies.answerUnknown(delivered, "unknown")
  expect(sent).toEqual(["accepted"])
  replies.answerUnknown(lost, "lost is unknown")
  replies.giveUp(5_000)
  expect(sent).toHaveLength(3)
  expect(sent[1]).toContain("the outcome is not known yet")
  expect(sent[2]).toBe("lost is unknown")
  replies.answerUnknown(late, "unknown")
  expect(sent).toHaveLength(3)
})
