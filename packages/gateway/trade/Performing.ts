/** What a command of the trade socket sets in motion, and how its answer finds its way back. */
import * as Incoming from "@venue/api/Incoming"
import * as Command from "@venue/api/trade/Command"
import * as Frame from "@venue/api/trade/Frame"
import type * as Permission from "@venue/auth/Permission"
import { Desks } from "@venue/cluster/Link"
import type { Cost, OpenOrder, RateLimited, Submitted } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/protocol/Ids"
import type { Unavailable } from "@venue/cluster/protocol/Market"
import { Venue } from "@venue/cluster/protocol/Venue"
import { noEcho } from "@venue/domain/Market"
import type { OrderRequest } from "@venue/domain/Order"
import { Clock, Effect } from "effect"
import { History } from "../History.ts"
import { barrier } from "./Barrier.ts"
import type { Connection, Member, Performed } from "./Connection.ts"
import { echoOf, type OrderCommand, requestOf, unlisted } from "./Request.ts"

/** How long after its expiry a command's outcome may still come before it is called unknown. */
const graceMillis = 1_000

export const make = Effect.gen(function* () {
  const desks = yield* Desks
  const history = yield* History
  const venue = yield* Venue
  const ids = yield* Ids
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const { instruments } = venue

  const order = (connection: Connection, member: Member, command: OrderCommand, text: string) => {
    const id = ids.next()
    const commandId = id.text
    const now = clock.currentTimeMillisUnsafe()
    const expiresAtMillis = now + venue.commandExpiryMillis
    const dueMillis = expiresAtMillis + graceMillis
    const request = requestOf(command, id, expiresAtMillis, member)
    const cost = costOf(connection, command)
    if (command._tag === "CancelAllOrders") {
      connection.sweep(commandId, Incoming.ofObject(text), dueMillis)
    } else if (instruments.has(command.symbol)) {
      connection.expect(command.symbol, commandId, text, dueMillis)
    } else connection.asked(text)
    connection.handed()
    desks.submit({ userId: member.caller.userId, cost, request }, (submitted) => {
      connection.taken()
      answered(connection, member, request, submitted, text)
      if (request._tag !== "CancelAllOrders" && !instruments.has(request.symbol)) connection.settled(text)
    })
  }

  /** What the desk says by itself; everything else comes by the log. */
  const answered = (
    connection: Connection,
    member: Member,
    request: OrderRequest,
    submitted: Submitted,
    text: string
  ) => {
    const { symbol } = request
    const commandId = request.commandId.text
    const say = (frame: string) => {
      if (request._tag === "CancelAllOrders" || !instruments.has(symbol)) {
        connection.send(frame)
        connection.forgetSweep(commandId)
      } else connection.answer(symbol, commandId, frame)
    }
    switch (submitted._tag) {
      case "HandedOn":
        return request._tag === "CancelAllOrders" ? connection.swept(commandId, submitted.symbols) : undefined
      case "RateLimited":
        return say(Frame.rateLimited(submitted.retryAfterMillis, Incoming.ofObject(text)))
      case "Refused":
        return say(Frame.err("ServerError", submitted.why, Incoming.ofObject(text)))
      case "BadSymbol":
        if (request._tag === "CancelAllOrders") {
          return say(Frame.err("InvalidParameter", `unknown symbol ${symbol}`, Incoming.ofObject(text)))
        }
        if (!connection.subscribed("order_responses")) return
        return say(
          Frame.refusal(symbol, {
            accountId: member.accountId,
            status: unlisted[request._tag],
            echo: echoOf(request),
            atMillis: clock.currentTimeMillisUnsafe()
          })
        )
    }
  }

  type Ask = Effect.Effect<string, Unavailable | RateLimited>

  /** What comes of a question; a fault of the venue's is never told as a refusal. */
  const frameOf = (text: string, ask: Ask): Effect.Effect<string> =>
    ask.pipe(
      Effect.catchTags({
        RateLimited: ({ retryAfterMillis }) =>
          Effect.succeed(Frame.rateLimited(retryAfterMillis, Incoming.ofObject(text))),
        Unavailable: ({ what }) =>
          Effect.succeed(Frame.err("ServerError", `${what} did not answer; try again`, Incoming.ofObject(text)))
      }),
      // An answer has to come: others may wait behind it.
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logError("a question could not be answered", cause),
          Frame.err("ServerError", "it could not be answered", Incoming.ofObject(text))
        )
      )
    )

  /** A question whose answer is sent when it comes. */
  const question = (connection: Connection, text: string, ask: Ask): void => {
    connection.asked(text)
    run(
      frameOf(text, ask).pipe(Effect.map(connection.send), Effect.ensuring(Effect.sync(() => connection.settled(text))))
    )
  }

  /** A question about one symbol, answered in its place among that symbol's commands. */
  const inLane = (connection: Connection, symbol: string, text: string, ask: Ask): void => {
    if (!instruments.has(symbol)) return question(connection, text, ask)
    const askId = ids.next().text
    connection.ask(symbol, askId, text, () => {
      run(Effect.map(frameOf(text, ask), (frame) => connection.answer(symbol, askId, frame)))
    })
  }

  const orders = (member: Member, cost: Cost) =>
    desks.ask(member.caller.userId, (desk) => desk.Orders({ ...accountOf(member), cost }))

  const resting = ({ order, symbol }: OpenOrder): Frame.RestingOrder => ({
    instrument: instruments.get(symbol)!,
    order,
    status: order.modified ? "MODIFIED" : "ACK",
    updateMillis: order.updatedAtMillis
  })

  const perform = (connection: Connection, member: Member, command: Performed, text: string): void => {
    const action = actions[command._tag]
    const barred = barrier(member, action)
    if (barred !== undefined) {
      const [code, message] = barred
      connection.owe(Command.weight(command).weight)
      return connection.send(Frame.err(code, message, Incoming.ofObject(text)))
    }
    switch (command._tag) {
      case "AddOrder":
      case "ModifyOrder":
      case "CancelOrder":
      case "CancelAllOrders":
      case "ClosePosition":
        return order(connection, member, command, text)
      case "CancelTwap": {
        connection.owe(Command.weight(command).weight)
        if (!connection.subscribed("order_responses")) return
        return inLane(
          connection,
          command.symbol,
          text,
          Effect.sync(() =>
            Frame.refusal(command.symbol, {
              accountId: member.accountId,
              status: "NO_SUCH_ORDER",
              echo: command.byClientTwapId
                ? { ...noEcho, clientOrderId: command.twapId }
                : { ...noEcho, orderId: command.twapId },
              atMillis: clock.currentTimeMillisUnsafe()
            })
          )
        )
      }
      case "AddTwap":
      case "CancelStopOrder":
      case "ModifyStopOrder":
        connection.owe(Command.weight(command).weight)
        return connection.send(Frame.err(command.code, command.message, Incoming.ofObject(text)))
      case "GetOrder":
        return inLane(
          connection,
          command.symbol,
          text,
          Effect.map(orders(member, costOf(connection, command)), (open) => {
            const found =
              open.find(({ order, symbol }) => symbol === command.symbol && order.orderId.text === command.orderId) ??
              open.find(({ order, symbol }) => symbol === command.symbol && order.clientOrderId === command.orderId)
            return found !== undefined
              ? Frame.getOrderResponse(resting(found))
              : Frame.refusal(command.symbol, {
                  accountId: member.accountId,
                  status: "NO_SUCH_ORDER",
                  echo: { ...noEcho, orderId: command.orderId },
                  atMillis: clock.currentTimeMillisUnsafe()
                })
          })
        )
      case "GetUserOrders": {
        const list = Effect.map(orders(member, costOf(connection, command)), (open) =>
          Frame.allOrdersResponse(
            open
              .filter(({ symbol }) => command.symbol === null || symbol === command.symbol)
              .slice(command.offset, command.offset + command.limit)
              .map(resting)
          )
        )
        return command.symbol === null
          ? question(connection, text, list)
          : inLane(connection, command.symbol, text, list)
      }
      case "GetUserTrades":
        return question(
          connection,
          text,
          Effect.map(
            history.trades(
              { ...accountOf(member), cost: costOf(connection, command) },
              {
                orderId: command.orderId ?? undefined,
                startMillis: command.startMillis ?? undefined,
                endMillis: command.endMillis === null ? undefined : command.endMillis + 1,
                limit: command.limit,
                offset: command.offset
              }
            ),
            (trades) => Frame.userTradesResponse((symbol) => instruments.get(symbol)!, trades)
          )
        )
      case "GetUserLeverage":
        return question(
          connection,
          text,
          Effect.map(
            desks.ask(member.caller.userId, (desk) =>
              desk.Leverages({ ...accountOf(member), cost: costOf(connection, command) })
            ),
            (levels) =>
              Frame.userLeverageResponse(
                member.accountId,
                levels
                  .slice(command.offset, command.offset + command.limit)
                  .map(({ leverage, symbol }) => ({ instrument: instruments.get(symbol)!, leverage }))
              )
          )
        )
      case "GetAvailableLeverageLevels": {
        connection.owe(Command.weight(command).weight)
        const levels = [...instruments.values()].flatMap((instrument) =>
          Array.from({ length: instrument.maxLeverage }, (_, index) => ({ instrument, leverage: index + 1 }))
        )
        return connection.send(
          Frame.availableLeverageLevelsResponse(levels.slice(command.offset, command.offset + command.limit))
        )
      }
      case "SetUserLeverage":
        return inLane(
          connection,
          command.symbol,
          text,
          change(
            member,
            costOf(connection, command),
            {
              _tag: "SetLeverage",
              accountId: member.accountId,
              symbol: command.symbol,
              leverage: command.leverage
            },
            text
          )
        )
      case "CancelOnDisconnect":
        return question(
          connection,
          text,
          Effect.tap(
            change(
              member,
              costOf(connection, command),
              {
                _tag: "Arm",
                connectionId: connection.connectionId,
                accountId: member.accountId,
                armed: command.armed
              },
              text
            ),
            () => Effect.sync(() => connection.arm(command.armed))
          )
        )
    }
  }

  const change = (
    member: Member,
    cost: Cost,
    command:
      | { readonly _tag: "SetLeverage"; readonly accountId: string; readonly symbol: string; readonly leverage: number }
      | {
          readonly _tag: "Arm"
          readonly connectionId: string
          readonly accountId: string
          readonly armed: boolean
        },
    text: string
  ): Effect.Effect<string, Unavailable | RateLimited> => {
    const incoming = Incoming.ofObject(text)
    return desks
      .ask(member.caller.userId, (desk) => desk.Change({ userId: member.caller.userId, cost, command }))
      .pipe(
        Effect.as(Frame.ack(incoming)),
        Effect.catchTags({
          UnknownSymbol: (refusal) => Effect.succeed(Frame.leverageRefused(refusal, incoming)),
          NotALevel: (refusal) => Effect.succeed(Frame.leverageRefused(refusal, incoming)),
          LeverageInUse: (refusal) => Effect.succeed(Frame.leverageRefused(refusal, incoming))
        }),
        Effect.catchIf(
          (error) => error._tag !== "Unavailable" && error._tag !== "RateLimited",
          (error) => Effect.die(error)
        )
      ) as Effect.Effect<string, Unavailable | RateLimited>
  }

  return perform
})

const accountOf = ({ accountId, caller: { userId } }: Member) => ({ userId, accountId })

const costOf = (connection: Connection, command: Performed): Cost => {
  const { bucket, weight } = Command.weight(command)
  // What is owed is no cancel's weight, so it waits for the next message that is none.
  return { bucket, weight: bucket === "general" ? weight + connection.takeOwed() : weight }
}

const actions: { readonly [Tag in Performed["_tag"]]: Permission.Action } = {
  AddOrder: "add_order",
  ModifyOrder: "modify_order",
  CancelOrder: "cancel_order",
  CancelTwap: "cancel_order",
  CancelAllOrders: "cancel_all_orders",
  ClosePosition: "close_position",
  CancelOnDisconnect: "cancel_on_disconnect",
  GetOrder: "get_order",
  GetUserOrders: "get_user_orders",
  GetUserTrades: "get_user_trades",
  GetUserLeverage: "get_user_leverage",
  GetAvailableLeverageLevels: "get_available_leverage_levels",
  SetUserLeverage: "set_user_leverage",
  AddTwap: "add_twap",
  CancelStopOrder: "cancel_stop_order",
  ModifyStopOrder: "modify_stop_order"
}
