/** Tests of a trader's joined markets, compared with a naive model. */
import * as JoinedMarket from "@venue/cluster/entities/desk/markets/JoinedMarket"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderRequest } from "@venue/domain/Order"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { idOf, userId } from "../../../Neighbours.ts"

const done = (n: number): MarketEvent => ({
  _tag: "Done",
  commandId: idOf(n),
  expiresAtMillis: 60_000,
  userId,
  accountId: primaryAccountOf(userId),
  atMillis: 1
})

/** A funding event, which applies to every position and has no command. */
const funded: MarketEvent = {
  _tag: "Funded",
  rateE12: 20_000_000,
  markE8: 20_000_000_000,
  remainder: 0,
  fromMillis: 0,
  skipped: false,
  atMillis: 3_600_000
}

const base = (n: number, symbol: MarketSymbol) => ({
  commandId: idOf(n),
  expiresAtMillis: 60_000,
  accountId: primaryAccountOf(userId),
  symbol
})

const cancel = (n: number, symbol = "A"): OrderRequest => ({
  _tag: "CancelOrder",
  ...base(n, MarketSymbol.make(symbol)),
  orderId: idOf(99).text,
  byClientOrderId: false
})

const place = (n: number, symbol = "A", reduceOnly = false): OrderRequest => ({
  _tag: "PlaceOrder",
  ...base(n, MarketSymbol.make(symbol)),
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: 100,
  quantity: 1,
  reduceOnly,
  clientOrderId: "",
  builderCode: ""
})

const nobodySent = () => false
const viewAt = (seq: number, recorded: ReadonlyArray<number> = []) => ({
  seq,
  recorded: recorded.map((n) => idOf(n).text)
})

it("queues requests while a market is syncing, and then applies only buffered events that are newer than the view", () => {
  const markets = JoinedMarket.empty()
  const market = JoinedMarket.join(markets, MarketSymbol.make("A"), false)
  expect(JoinedMarket.request(markets, market, cancel(1))).toBe("waits")
  for (const seq of [4, 5, 6]) expect(JoinedMarket.event(market, done(seq), seq, 0, nobodySent)).toBe(false)
  expect(JoinedMarket.isLive(markets)).toBe(false)
  expect(JoinedMarket.released(markets)).toEqual([])
  expect(JoinedMarket.fits(market, 5, 5)).toBe(true)
  const kept = JoinedMarket.goLive(markets, market, viewAt(5), 0)
  expect(kept.filter(({ event, seq }) => JoinedMarket.event(market, event, seq, 0, nobodySent))).toEqual([
    { event: done(6), seq: 6 }
  ])
  expect(JoinedMarket.released(markets)).toEqual([cancel(1)])
  expect(market.seq).toBe(6)
})

it("I32: after a market has synced, applies buffered market-wide events in order if they are newer than the view", () => {
  const markets = JoinedMarket.empty()
  const market = JoinedMarket.join(markets, MarketSymbol.make("A"), true)
  const log = [
    { event: done(4), seq: 4 },
    { event: funded, seq: 5 },
    { event: done(6), seq: 6 },
    { event: funded, seq: 6 },
    { event: done(7), seq: 6 }
  ]
  for (const { event, seq } of log) expect(JoinedMarket.event(market, event, seq, 0, nobodySent)).toBe(false)
  const kept = JoinedMarket.goLive(markets, market, viewAt(5), 0)
  expect(kept.filter(({ event, seq }) => JoinedMarket.event(market, event, seq, 0, nobodySent))).toEqual(log.slice(2))
  expect(JoinedMarket.event(market, funded, 5, 0, nobodySent)).toBe(false)
  expect(JoinedMarket.event(market, funded, 7, 0, nobodySent)).toBe(true)
  expect(market.seq).toBe(7)
})

it("rejects a market's view that is behind the feed, and discards the buffered events", () => {
  const markets = JoinedMarket.empty()
  const market = JoinedMarket.join(markets, MarketSymbol.make("A"), true)
  JoinedMarket.event(market, done(7), 7, 0, nobodySent)
  expect(JoinedMarket.fits(market, 6, 7)).toBe(false)
  expect(JoinedMarket.fits(market, 8, 7)).toBe(true)
  expect(JoinedMarket.goLive(markets, market, viewAt(8), 0)).toEqual([])
})

it("rejects a market's view if the event buffer has overflowed", () => {
  const market = JoinedMarket.join(JoinedMarket.empty(), MarketSymbol.make("A"), true)
  for (let seq = 1; seq <= 10_000; seq++) JoinedMarket.event(market, done(seq), seq, 0, nobodySent)
  expect(JoinedMarket.fits(market, 20_000, 1)).toBe(false)
  expect(JoinedMarket.fits(market, 20_000, 1)).toBe(true)
})

it("queues at most 10,000 requests for one market", () => {
  const markets = JoinedMarket.empty()
  const market = JoinedMarket.join(markets, MarketSymbol.make("A"), false)
  for (let n = 0; n < 10_000; n++) expect(JoinedMarket.request(markets, market, cancel(n))).toBe("waits")
  expect(JoinedMarket.request(markets, market, cancel(10_000))).toBe("full")
})

it("I20: does not resend a command that the market has recently recorded for a former owner", () => {
  const markets = JoinedMarket.empty()
  const market = JoinedMarket.join(markets, MarketSymbol.make("A"), true)
  JoinedMarket.goLive(markets, market, viewAt(1, [1]), 0)
  const isSent = (commandId: string) => commandId === idOf(3).text
  JoinedMarket.event(market, done(2), 2, 0, isSent)
  JoinedMarket.event(market, done(3), 3, 0, isSent)
  expect([1, 2, 3, 4].map((n) => JoinedMarket.request(markets, market, cancel(n)))).toEqual([
    "recorded",
    "recorded",
    "submit",
    "submit"
  ])
  JoinedMarket.event(market, done(5), 4, 60_000, nobodySent)
  expect(JoinedMarket.request(markets, market, cancel(1))).toBe("submit")
  expect(JoinedMarket.request(markets, market, cancel(5))).toBe("submit")
})

it("I27: queues requests that add risk until all markets that the user joined earlier are live", () => {
  const markets = JoinedMarket.empty()
  const one = JoinedMarket.join(markets, MarketSymbol.make("A"), true)
  const two = JoinedMarket.join(markets, MarketSymbol.make("B"), true)
  JoinedMarket.join(markets, MarketSymbol.make("C"), false)
  JoinedMarket.goLive(markets, one, viewAt(1), 0)
  expect(JoinedMarket.request(markets, one, place(1, "A", true))).toBe("submit")
  expect(JoinedMarket.request(markets, one, place(2))).toBe("waits")
  // The request stays behind the queued requests.
  expect(JoinedMarket.request(markets, one, cancel(3))).toBe("waits")
  JoinedMarket.goLive(markets, two, viewAt(1), 0)
  expect(JoinedMarket.released(markets)).toEqual([place(2), cancel(3)])
  expect(JoinedMarket.request(markets, one, place(4))).toBe("submit")
})

type Step =
  | { readonly _tag: "Request"; readonly symbol: MarketSymbol; readonly risky: boolean }
  | { readonly _tag: "Row"; readonly symbol: MarketSymbol; readonly isFunded: boolean }
  | { readonly _tag: "AskView"; readonly symbol: MarketSymbol }
  | { readonly _tag: "View"; readonly symbol: MarketSymbol }

const symbol = fc.constantFrom("A", "B", "C").map((name) => MarketSymbol.make(name))
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ _tag: fc.constant("Request" as const), symbol, risky: fc.boolean() }),
  fc.record({ _tag: fc.constant("Row" as const), symbol, isFunded: fc.boolean() }),
  fc.record({ _tag: fc.constant("AskView" as const), symbol }),
  fc.record({ _tag: fc.constant("View" as const), symbol })
)

/** Naive model that keeps all steps and derives the expected requests from them. */
const naive = (wasJoined: ReadonlySet<string>) => {
  const viewed = new Map<string, number>()
  const asked: Array<{ readonly request: OrderRequest; isGone: boolean }> = []
  const mayGo = (request: OrderRequest): boolean =>
    viewed.has(request.symbol) &&
    (!JoinedMarket.addsRisk(request) || [...wasJoined].every((joined) => viewed.has(joined)))
  return {
    viewed,
    asked,
    /** Marks and returns the requests that can be sent, each after the earlier requests of its market. */
    go: (): ReadonlyArray<OrderRequest> => {
      const going: Array<OrderRequest> = []
      for (const one of asked) {
        const before = asked.slice(0, asked.indexOf(one)).filter(({ request }) => request.symbol === one.request.symbol)
        if (one.isGone || before.some(({ isGone }) => !isGone) || !mayGo(one.request)) continue
        one.isGone = true
        going.push(one.request)
      }
      return going
    }
  }
}

const bySymbol = (requests: ReadonlyArray<OrderRequest>) =>
  ["A", "B", "C"].map((name) => requests.filter((request) => request.symbol === name))

it("sends each request once in order, and applies each row once, for any sequence of requests, rows and views", () => {
  fc.assert(
    fc.property(fc.subarray(["A", "B", "C"]), fc.array(anyStep, { maxLength: 60 }), (joined, steps) => {
      const wasJoined = new Set(joined)
      const twin = naive(wasJoined)
      const markets = JoinedMarket.empty()
      for (const name of ["A", "B", "C"]) JoinedMarket.join(markets, MarketSymbol.make(name), wasJoined.has(name))
      const rows = new Map([..."ABC"].map((name) => [name, 0]))
      const views = new Map<string, { readonly seq: number; readonly toldSeq: number }>()
      /** Rows that the ledger has applied, through a view or an event. */
      const known = new Map([..."ABC"].map((name) => [name, 0]))
      let count = 0
      const tell = (market: JoinedMarket.JoinedMarket, event: MarketEvent, seq: number) => {
        if (!JoinedMarket.event(market, event, seq, 100_000, nobodySent)) return
        expect(seq).toBe(known.get(market.symbol)! + 1)
        known.set(market.symbol, seq)
      }
      for (const step of steps) {
        const market = markets.bySymbol.get(step.symbol)!
        const seq = rows.get(step.symbol)!
        const sent: Array<OrderRequest> = []
        switch (step._tag) {
          case "Request": {
            const request = step.risky ? place(++count, step.symbol) : cancel(++count, step.symbol)
            twin.asked.push({ request, isGone: false })
            if (JoinedMarket.request(markets, market, request) === "submit") sent.push(request)
            break
          }
          case "Row":
            rows.set(step.symbol, seq + 1)
            tell(market, step.isFunded ? funded : done(1_000 + seq), seq + 1)
            break
          case "AskView":
            views.set(step.symbol, { seq, toldSeq: seq })
            break
          case "View": {
            const view = views.get(step.symbol)
            if (view === undefined || market.state === "live") break
            if (!JoinedMarket.fits(market, view.seq, view.toldSeq)) break
            known.set(step.symbol, view.seq)
            twin.viewed.set(step.symbol, view.seq)
            const kept = JoinedMarket.goLive(markets, market, viewAt(view.seq), 0)
            for (const { event, seq: at } of kept) tell(market, event, at)
            sent.push(...JoinedMarket.released(markets))
          }
        }
        expect(bySymbol(sent)).toEqual(bySymbol(twin.go()))
        if (market.state === "live") expect(known.get(step.symbol)).toBe(rows.get(step.symbol))
      }
      expect(JoinedMarket.isLive(markets)).toBe(twin.viewed.size === 3)
    })
  )
})
