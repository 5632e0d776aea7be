import { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import * as Backpressure from "@venue/gateway/trade/Backpressure"
import { type ExpectedOrder, type ExpectedQuery, unordered } from "@venue/gateway/trade/ExpectedReply"
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
