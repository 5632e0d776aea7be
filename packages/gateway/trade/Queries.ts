/** Queries on the trade socket, and the order of their responses among other replies. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/trade/Frame"
import type {
  GetAvailableLeverageLevels,
  GetOrder,
  GetUserLeverage,
  GetUserOrders,
  GetUserTrades
} from "@venue/api/trade/QueryCommand"
import type { Cost } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, identity } from "effect"
import { type Answered, type ExpectedQuery, unordered } from "./ExpectedReply.ts"
import type { Member } from "./Member.ts"
import * as QueryAnswers from "./QueryAnswers.ts"

type Query = GetOrder | GetUserOrders | GetUserTrades | GetUserLeverage | GetAvailableLeverageLevels

export interface Queries {
  readonly read: (member: Member, query: Query, cost: Cost, text: string) => Answered | ExpectedQuery
  /** Returns a query that is answered as soon as possible, regardless of other replies. */
  readonly atOnce: (text: string, answer: QueryAnswers.Answer) => ExpectedQuery
  /** Returns a query that runs in order with the commands on its symbol. */
  readonly bySymbol: (symbol: MarketSymbol, text: string, answer: QueryAnswers.Answer) => ExpectedQuery
}

export const make = Effect.gen(function* () {
  const answers = yield* QueryAnswers.make
  const ids = yield* Ids
  const { instruments } = yield* VenueSettings
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const atOnce: Queries["atOnce"] = (request, read) => ({
    ...unordered,
    request,
    run: (answer) => void run(Effect.map(frameOf(request, read), answer))
  })

  const bySymbol: Queries["bySymbol"] = (symbol, text, answer) =>
    instruments.has(symbol)
      ? { ...atOnce(text, answer), ordering: "bySymbol", commandId: ids.next().text, symbol }
      : atOnce(text, answer)

  /** Returns a query about all symbols, which runs after every earlier command and query is answered. */
  const afterAll = (text: string, answer: QueryAnswers.Answer): ExpectedQuery => ({
    ...atOnce(text, answer),
    ordering: "afterAll",
    commandId: ids.next().text
  })

  const read: Queries["read"] = ({ accountId, caller }, query, cost, text) => {
    const reader = { userId: caller.userId, accountId, cost }
    switch (query._tag) {
      case "GetOrder":
        return bySymbol(MarketSymbol.make(query.symbol), text, answers.order(reader, query))
      case "GetUserOrders": {
        const answer = answers.openOrders(reader, query)
        return query.symbol === null ? afterAll(text, answer) : bySymbol(MarketSymbol.make(query.symbol), text, answer)
      }
      case "GetUserTrades":
        return atOnce(text, answers.trades(reader, query))
      case "GetUserLeverage":
        return afterAll(text, answers.leverages(reader, query))
      case "GetAvailableLeverageLevels":
        return { _tag: "Answered", frame: answers.levels(query) }
    }
  }

  return identity<Queries>({ read, atOnce, bySymbol })
})

/** Runs a query. An internal failure becomes a `ServerError` frame. */
const frameOf = (text: string, answer: QueryAnswers.Answer): Effect.Effect<string> =>
  answer.pipe(
    Effect.catchTags({
      RateLimited: ({ retryAfterMillis }) =>
        Effect.succeed(Frame.rateLimited(retryAfterMillis, Incoming.ofObject(text))),
      Unavailable: ({ what }) =>
        Effect.succeed(Frame.err("ServerError", `${what} did not respond; try again`, Incoming.ofObject(text)))
    }),
    // A defect also needs a reply, because later replies might wait for it.
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logError("a query failed", cause),
        Frame.err("ServerError", "the query failed and changed nothing; send it again", Incoming.ofObject(text))
      )
    )
  )
