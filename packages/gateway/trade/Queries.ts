/** What a client of the trade socket reads, and how an answer that is asked for elsewhere finds its way back. */
import * as Incoming from "@venue/api/Incoming"
import * as Command from "@venue/api/trade/Command"
import * as Frame from "@venue/api/trade/Frame"
import type {
  GetAvailableLeverageLevels,
  GetOrder,
  GetUserLeverage,
  GetUserOrders,
  GetUserTrades
} from "@venue/api/trade/QueryCommand"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { OpenOrder, RateLimited, Read } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import type { Unavailable } from "@venue/cluster/protocol/Market"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { noEcho } from "@venue/domain/Market"
import { Clock, Effect } from "effect"
import { History } from "../History.ts"
import type { Connection } from "./Connection.ts"
import type { Member } from "./Member.ts"
import { costOf } from "./Request.ts"

type Query = GetOrder | GetUserOrders | GetUserTrades | GetUserLeverage | GetAvailableLeverageLevels

/** The frame that is the answer. */
export type Answer = Effect.Effect<string, Unavailable | RateLimited>

export interface Queries {
  readonly read: (connection: Connection, member: Member, query: Query, text: string) => void
  /** Sends an answer when it comes. */
  readonly ask: (connection: Connection, text: string, answer: Answer) => void
  /** Sends an answer about one symbol in its place among that symbol's commands, and asks for it no sooner. */
  readonly inQueue: (connection: Connection, symbol: string, text: string, answer: Answer) => void
}

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const history = yield* History
  const ids = yield* Ids
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  const run = Effect.runForkWith(yield* Effect.context<never>())

  /** A fault of the venue's is never told as a refusal. */
  const frameOf = (text: string, answer: Answer): Effect.Effect<string> =>
    answer.pipe(
      Effect.catchTags({
        RateLimited: ({ retryAfterMillis }) =>
          Effect.succeed(Frame.rateLimited(retryAfterMillis, Incoming.ofObject(text))),
        Unavailable: ({ what }) =>
          Effect.succeed(Frame.err("ServerError", `${what} did not answer; try again`, Incoming.ofObject(text)))
      }),
      // An answer has to come: others may wait behind it.
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logError("a query could not be answered", cause),
          Frame.err("ServerError", "it could not be answered", Incoming.ofObject(text))
        )
      )
    )

  const ask: Queries["ask"] = (connection, text, answer) => {
    connection.asked(text)
    run(
      frameOf(text, answer).pipe(
        Effect.map(connection.send),
        Effect.ensuring(Effect.sync(() => connection.settled(text)))
      )
    )
  }

  const inQueue: Queries["inQueue"] = (connection, symbol, text, answer) => {
    if (!instruments.has(symbol)) return ask(connection, text, answer)
    const askId = ids.next().text
    connection.ask(symbol, askId, text, () => {
      run(Effect.map(frameOf(text, answer), (frame) => connection.answer(symbol, askId, frame)))
    })
  }

  /** Of a desk about all symbols: asked and answered after all that came before it. */
  const ofAll = (connection: Connection, text: string, answer: Answer): void => {
    const askId = ids.next().text
    connection.askOfAll(askId, text, () => {
      run(Effect.map(frameOf(text, answer), (frame) => connection.answerOfAll(askId, text, frame)))
    })
  }

  const orders = (reader: Read) => desks.ask(reader.userId, (desk) => desk.Orders(reader))

  const resting = ({ order, symbol }: OpenOrder): Frame.RestingOrder => ({
    instrument: instruments.get(symbol)!,
    order,
    status: order.modified ? "MODIFIED" : "ACK",
    updateMillis: order.updatedAtMillis
  })

  const order = (reader: Read, { orderId, symbol: asked }: GetOrder): Answer =>
    Effect.map(orders(reader), (open) => {
      const found =
        open.find(({ order, symbol }) => symbol === asked && order.orderId.text === orderId) ??
        open.find(({ order, symbol }) => symbol === asked && order.clientOrderId === orderId)
      return found !== undefined
        ? Frame.getOrderResponse(resting(found))
        : Frame.refusal(asked, {
            accountId: reader.accountId,
            status: "NO_SUCH_ORDER",
            echo: { ...noEcho, orderId },
            atMillis: clock.currentTimeMillisUnsafe()
          })
    })

  const openOrders = (reader: Read, { limit, offset, symbol: asked }: GetUserOrders): Answer =>
    Effect.map(orders(reader), (open) =>
      Frame.allOrdersResponse(
        open
          .filter(({ symbol }) => asked === null || symbol === asked)
          .slice(offset, offset + limit)
          .map(resting)
      )
    )

  const trades = (reader: Read, { endMillis, limit, offset, orderId, startMillis }: GetUserTrades): Answer =>
    Effect.map(
      history.trades(reader, {
        orderId: orderId ?? undefined,
        startMillis: startMillis ?? undefined,
        endMillis: endMillis === null ? undefined : endMillis + 1,
        limit,
        offset
      }),
      (found) => Frame.userTradesResponse((symbol) => instruments.get(symbol)!, found)
    )

  const leverages = (reader: Read, { limit, offset }: GetUserLeverage): Answer =>
    Effect.map(
      desks.ask(reader.userId, (desk) => desk.Leverages(reader)),
      (levels) =>
        Frame.userLeverageResponse(
          reader.accountId,
          levels
            .slice(offset, offset + limit)
            .map(({ leverage, symbol }) => ({ instrument: instruments.get(symbol)!, leverage }))
        )
    )

  const levels = ({ limit, offset }: GetAvailableLeverageLevels): string => {
    const all = [...instruments.values()].flatMap((instrument) =>
      Array.from({ length: instrument.maxLeverage }, (_, index) => ({ instrument, leverage: index + 1 }))
    )
    return Frame.availableLeverageLevelsResponse(all.slice(offset, offset + limit))
  }

  const read: Queries["read"] = (connection, member, query, text) => {
    if (query._tag === "GetAvailableLeverageLevels") {
      connection.defer(Command.weight(query).weight)
      return connection.send(levels(query))
    }
    const { accountId, caller } = member
    const reader = { userId: caller.userId, accountId, cost: costOf(connection, query) }
    switch (query._tag) {
      case "GetOrder":
        return inQueue(connection, query.symbol, text, order(reader, query))
      case "GetUserOrders": {
        const answer = openOrders(reader, query)
        return query.symbol === null ? ofAll(connection, text, answer) : inQueue(connection, query.symbol, text, answer)
      }
      case "GetUserTrades":
        return ask(connection, text, trades(reader, query))
      case "GetUserLeverage":
        return ofAll(connection, text, leverages(reader, query))
    }
  }

  return { read, ask, inQueue } satisfies Queries as Queries
})
