/** What a command of the trade socket sets in motion, and how its answer finds its way back. */
import * as Incoming from "@venue/api/Incoming"
import * as Command from "@venue/api/trade/Command"
import * as Frame from "@venue/api/trade/Frame"
import type * as Permission from "@venue/auth/access/Permission"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { Cost, Submitted } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { echoOf, noEcho, unlisted } from "@venue/domain/Market"
import type { OrderRequest } from "@venue/domain/Order"
import type { Arm, LeverageInUse, NotALevel, SetLeverage, UnknownSymbol } from "@venue/domain/Trader"
import { Clock, Effect } from "effect"
import { accessRefusal } from "./AccessRefusal.ts"
import type { Connection, TradingCommand } from "./Connection.ts"
import type { Member } from "./Member.ts"
import * as Queries from "./Queries.ts"
import { costOf, type OrderCommand, requestOf } from "./Request.ts"

/** How long after its expiry a command's outcome may still come before it is called unknown. */
const graceMillis = 1_000

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const venue = yield* VenueSettings
  const ids = yield* Ids
  const clock = yield* Clock.Clock
  const queries = yield* Queries.make
  const { instruments } = venue

  const order = (connection: Connection, member: Member, command: OrderCommand, text: string) => {
    const id = ids.next()
    const commandId = id.text
    const now = clock.currentTimeMillisUnsafe()
    const expiresAtMillis = now + venue.commandExpiryMillis
    const dueMillis = expiresAtMillis + graceMillis
    const named = command.symbol ?? ""
    const instrument = instruments.get(named)
    // The one text of its symbol, which all that is kept by symbol finds without comparing letters.
    const symbol = instrument?.symbol ?? named
    const request = requestOf(command, symbol, id, expiresAtMillis, member)
    const cost = costOf(connection, command)
    const isSweep = command._tag === "CancelAllOrders"
    const isInLane = !isSweep && instrument !== undefined
    if (isSweep) connection.cancel(commandId, symbol, Incoming.ofObject(text), dueMillis)
    else if (isInLane) connection.expect(symbol, commandId, text, dueMillis)
    else connection.asked(text)
    desks.submit({ userId: member.caller.userId, cost, request }, (submitted) => {
      if (submitted._tag !== "HandedOn") refused(connection, member, request, submitted, text)
      else if (isSweep) connection.swept(commandId, submitted.symbols)
      if (!isSweep && !isInLane) connection.settled(text)
    })
  }

  /** What the desk says by itself; everything else comes by the log. */
  const refused = (
    connection: Connection,
    member: Member,
    request: OrderRequest,
    submitted: Exclude<Submitted, { readonly _tag: "HandedOn" }>,
    text: string
  ) => {
    const { symbol } = request
    const commandId = request.commandId.text
    const say = (frame: string) => {
      if (request._tag === "CancelAllOrders") connection.refuseSweep(commandId, frame)
      else if (instruments.has(symbol)) connection.answer(symbol, commandId, frame)
      else connection.send(frame)
    }
    switch (submitted._tag) {
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

  const perform = (connection: Connection, member: Member, command: TradingCommand, text: string): void => {
    const action = actions[command._tag]
    const barred = accessRefusal(member, action)
    if (barred !== undefined) {
      const [code, message] = barred
      connection.defer(Command.weight(command).weight)
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
        connection.defer(Command.weight(command).weight)
        if (!connection.subscribed("order_responses")) return
        return queries.inQueue(
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
        connection.defer(Command.weight(command).weight)
        return connection.send(Frame.err(command.code, command.message, Incoming.ofObject(text)))
      case "GetOrder":
      case "GetUserOrders":
      case "GetUserTrades":
      case "GetUserLeverage":
      case "GetAvailableLeverageLevels":
        return queries.read(connection, member, command, text)
      case "SetUserLeverage": {
        const { leverage, symbol } = command
        const set = { _tag: "SetLeverage", accountId: member.accountId, symbol, leverage } as const
        return queries.inQueue(connection, symbol, text, change(member, costOf(connection, command), set, text))
      }
      case "CancelOnDisconnect": {
        const { armed } = command
        const { connectionId } = connection
        const arm = { _tag: "Arm", connectionId, accountId: member.accountId, armed } as const
        if (armed) connection.lease()
        const answer = Effect.tap(change(member, costOf(connection, command), arm, text), () =>
          Effect.sync(() => connection.arm(armed))
        )
        return queries.ask(connection, text, answer)
      }
    }
  }

  const change = (member: Member, cost: Cost, command: SetLeverage | Arm, text: string): Queries.Answer => {
    const { userId } = member.caller
    const incoming = Incoming.ofObject(text)
    const refused = (refusal: UnknownSymbol | NotALevel | LeverageInUse) =>
      Effect.succeed(Frame.leverageRefused(refusal, incoming))
    return desks
      .ask(userId, (desk) => desk.Change({ userId, cost, command }))
      .pipe(
        Effect.as(Frame.ack(incoming)),
        Effect.catchTags({
          UnknownSymbol: refused,
          NotALevel: refused,
          LeverageInUse: refused,
          // Whoever asks was let in with this account.
          UnknownAccount: Effect.die,
          // Refusals of other changes.
          InsufficientBalance: Effect.die,
          SameAccount: Effect.die,
          InvalidAmount: Effect.die,
          TooManyAccounts: Effect.die
        })
      )
  }

  return perform
})

const actions: { readonly [Tag in TradingCommand["_tag"]]: Permission.Action } = {
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
