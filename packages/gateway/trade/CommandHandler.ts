/** Trade socket commands: access check, request to the desk, and the expected reply. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/trade/Frame"
import type { CancelAllAfter } from "@venue/api/trade/SessionCommand"
import * as SubmitRefusal from "@venue/api/trade/SubmitRefusal"
import type * as Permission from "@venue/auth/access/Permission"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { Cost, Submission, Submitted } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as DeadManSwitch from "@venue/domain/DeadManSwitch"
import { echoOf, unlisted } from "@venue/domain/Echo"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { CancelAllOrders, OrderRequest } from "@venue/domain/Order"
import type { LeverageInUse, NotALevel, SetLeverage, UnknownSymbol } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Revocations } from "@venue/storage/access/Revocations"
import { Clock, Effect, identity } from "effect"
import { denoised } from "../NoisyDecimals.ts"
import { accessRefusal } from "./AccessRefusal.ts"
import type { Connection, Gateway } from "./Connection.ts"
import type { Answered, ExpectedAcknowledgement, ExpectedOrder } from "./ExpectedReply.ts"
import type { Member } from "./Member.ts"
import * as Previews from "./Previews.ts"
import * as Queries from "./Queries.ts"
import type { Answer } from "./QueryAnswers.ts"
import { type OrderCommand, requestOf, type TradingCommand } from "./Request.ts"
import * as StaleRevocations from "./StaleRevocations.ts"

export type CommandHandler = Pick<Gateway, "handle" | "submit">

/** Time between a command's expiry and the report that its outcome is unknown. */
export const graceMillis = 1_000

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const revocations = yield* Revocations
  const queries = yield* Queries.make
  const order = yield* makeOrder
  const preview = yield* Previews.make(queries)
  const setLeverage = yield* makeSetLeverage
  const cancelAllAfter = yield* makeCancelAllAfter
  const refused = yield* makeRefused

  const handle: CommandHandler["handle"] = (connection, member, command, cost, text) => {
    const refusal = accessRefusal(member, actions[command._tag])
    if (refusal !== undefined) {
      const [code, message] = refusal
      return answered(Frame.err(code, message, Incoming.ofObject(text)))
    }
    if (StaleRevocations.isRefused(command, revocations.delayMillis())) {
      return answered(Frame.err("ServerError", StaleRevocations.message, Incoming.ofObject(text)))
    }
    switch (command._tag) {
      case "AddOrder":
      case "ModifyOrder":
      case "CancelOrder":
      case "CancelAllOrders":
      case "ClosePosition":
      case "CancelStopOrder":
      case "ModifyStopOrder":
      case "AddTwap":
      case "CancelTwap":
        return order(connection, member, command, cost, text)
      case "PreviewOrder":
        return preview(member, command, cost, text)
      case "GetOrder":
      case "GetUserOrders":
      case "GetUserTrades":
      case "GetUserLeverage":
      case "GetAvailableLeverageLevels":
        return queries.read(member, command, cost, text)
      case "SetUserLeverage": {
        const { leverage } = command
        const symbol = MarketSymbol.make(command.symbol)
        const { accountId, caller } = member
        const set = { userId: caller.userId, cost, accountId, symbol, leverage }
        return queries.bySymbol(symbol, text, setLeverage(set, text))
      }
      case "CancelOnDisconnect": {
        const { armed } = command
        const { connectionId } = connection
        const { accountId, caller } = member
        connection.lease(armed)
        const answer = desks
          .ask(caller.userId, (desk) => desk.Arm({ userId: caller.userId, cost, connectionId, accountId, armed }))
          .pipe(
            // The sign-in checked that the account exists.
            Effect.catchTag("UnknownAccount", Effect.die),
            Effect.tap(() => Effect.sync(() => connection.arm(armed))),
            Effect.as(Frame.ack(Incoming.ofObject(text)))
          )
        return queries.atOnce(text, answer)
      }
      case "CancelAllAfter":
        return queries.atOnce(text, cancelAllAfter(member, command, cost, text))
    }
  }

  const submit: CommandHandler["submit"] = (connection, member, expected) => {
    const { replies } = connection
    const reply = (submitted: Submitted) => {
      if (submitted._tag === "HandedOn") return replies.forwarded(expected, submitted.symbols)
      const { request } = expected.submission
      refused(connection, member, request, submitted, expected.request, (frame) => {
        if (isUnknown(submitted)) replies.answerUnknown(expected, frame)
        else replies.answer(expected, frame)
      })
    }
    desks.submit(expected.submission, reply, () => replies.isOutstanding(expected))
  }

  return identity<CommandHandler>({ handle, submit })
})

const answered = (frame: string): Answered => ({ _tag: "Answered", frame })

const actions: { readonly [Tag in TradingCommand["_tag"]]: Permission.Action } = {
  AddOrder: "add_order",
  ModifyOrder: "modify_order",
  CancelOrder: "cancel_order",
  CancelTwap: "cancel_order",
  CancelAllOrders: "cancel_all_orders",
  ClosePosition: "close_position",
  CancelOnDisconnect: "cancel_on_disconnect",
  CancelAllAfter: "cancel_all_after",
  GetOrder: "get_order",
  GetUserOrders: "get_user_orders",
  GetUserTrades: "get_user_trades",
  GetUserLeverage: "get_user_leverage",
  GetAvailableLeverageLevels: "get_available_leverage_levels",
  SetUserLeverage: "set_user_leverage",
  PreviewOrder: "preview_order",
  AddTwap: "add_twap",
  CancelStopOrder: "cancel_stop_order",
  ModifyStopOrder: "modify_stop_order"
}

/** Prepares an order command by giving it an id and an expiry. */
const makeOrder = Effect.gen(function* () {
  const { commandExpiryMillis, instruments } = yield* VenueSettings
  const ids = yield* Ids
  const clock = yield* Clock.Clock

  return (
    { connectionId, isLeased }: Connection,
    member: Member,
    command: OrderCommand,
    cost: Cost,
    text: string
  ): ExpectedOrder | ExpectedAcknowledgement => {
    const id = ids.next()
    const named = MarketSymbol.make(command._tag === "CancelStopOrder" ? "" : (command.symbol ?? ""))
    const instrument = instruments.get(named)
    // Uses the instrument's own string object, so that maps keyed by symbol compare by reference.
    const symbol = instrument?.symbol ?? named
    const expiresAtMillis = clock.currentTimeMillisUnsafe() + commandExpiryMillis
    const submission = {
      userId: member.caller.userId,
      cost,
      request: requestOf(denoised(command, instrument, text), symbol, id, expiresAtMillis, member),
      ...(isLeased ? { connectionId } : {})
    }
    const dueMillis = expiresAtMillis + graceMillis
    const isOfStop = command._tag === "CancelStopOrder" || command._tag === "ModifyStopOrder"
    if (isOfStop || command._tag === "CancelAllOrders") {
      return { _tag: "Acknowledgement", commandId: id.text, symbol, request: text, dueMillis, submission, isOfStop }
    }
    const ordering = instrument === undefined ? "none" : "bySymbol"
    return { _tag: "Order", ordering, commandId: id.text, symbol, request: text, dueMillis, submission }
  }
})

const makeRefused = Effect.gen(function* () {
  const clock = yield* Clock.Clock

  /** Sends the reply to a command that the desk refused; a forwarded command is answered by its market's log. */
  const refused = (
    connection: Connection,
    member: Member,
    request: Submission["request"],
    submitted: Exclude<Submitted, { readonly _tag: "HandedOn" }>,
    text: string,
    send: (frame: string) => void
  ) => {
    const { symbol } = request
    switch (submitted._tag) {
      case "RateLimited":
        return send(Frame.rateLimited(submitted.retryAfterMillis, Incoming.ofObject(text)))
      case "Refused":
        return send(
          Frame.err(
            SubmitRefusal.code(submitted.refusal),
            SubmitRefusal.message(submitted.refusal),
            Incoming.ofObject(text)
          )
        )
      case "BadSymbol":
        if (isWithoutEcho(request)) {
          return send(Frame.err("InvalidParameter", `unknown symbol ${symbol}`, Incoming.ofObject(text)))
        }
        if (!connection.subscriptions.sendsOrders) return send("")
        return send(
          Frame.refusal(symbol, {
            accountId: member.accountId,
            status: unlisted[request._tag],
            echo: echoOf(request),
            atMillis: clock.currentTimeMillisUnsafe()
          })
        )
    }
  }

  return refused
})

/** Sets the dead-man switch. The timeout starts here, because the call to the desk might be delayed or repeated. */
const makeCancelAllAfter = Effect.gen(function* () {
  const desks = yield* DeskClient
  const clock = yield* Clock.Clock

  return ({ accountId, caller }: Member, { timeoutSeconds }: CancelAllAfter, cost: Cost, text: string): Answer => {
    const { userId } = caller
    const requestedMillis = clock.currentTimeMillisUnsafe()
    const dueMillis = DeadManSwitch.dueMillis(requestedMillis, timeoutSeconds)
    return desks
      .ask(userId, (desk) =>
        desk.SetDeadManSwitch({ userId, cost, accountId, askedMillis: requestedMillis, timeoutSeconds })
      )
      .pipe(
        // The sign-in checked that the account exists.
        Effect.catchTag("UnknownAccount", Effect.die),
        Effect.as(Frame.cancelAllAfterResponse(timeoutSeconds, dueMillis, Incoming.ofObject(text)))
      )
  }
})

/** True for requests whose refusal is an error frame instead of an order response. */
const isWithoutEcho = (
  request: Submission["request"]
): request is Exclude<Submission["request"], Exclude<OrderRequest, CancelAllOrders>> =>
  request._tag === "CancelAllOrders" ||
  request._tag === "CancelStop" ||
  request._tag === "ModifyStop" ||
  request._tag === "AddTwap"

/** True if the outcome is unknown. The market's log or a give-up might have answered the command by then. */
const isUnknown = (submitted: Submitted): boolean =>
  submitted._tag === "Refused" && (submitted.refusal._tag === "DeskUnreachable" || submitted.refusal._tag === "Faulted")

const makeSetLeverage = Effect.gen(function* () {
  const desks = yield* DeskClient

  const setLeverage = (
    set: Omit<SetLeverage, "_tag"> & { readonly userId: UserId; readonly cost: Cost },
    text: string
  ): Answer => {
    const incoming = Incoming.ofObject(text)
    const refused = (refusal: UnknownSymbol | NotALevel | LeverageInUse) =>
      Effect.succeed(Frame.leverageRefused(refusal, incoming))
    return desks
      .ask(set.userId, (desk) => desk.SetLeverage(set))
      .pipe(
        Effect.as(Frame.ack(incoming)),
        Effect.catchTags({
          UnknownSymbol: refused,
          NotALevel: refused,
          LeverageInUse: refused,
          // The sign-in checked that the account exists.
          UnknownAccount: Effect.die,
          // The change might have been made.
          Unavailable: () => Effect.succeed(Frame.err("ServerError", unknownLeverage, incoming))
        })
      )
  }

  return setLeverage
})

const unknownLeverage = "the outcome is unknown; read the current leverage with get_user_leverage"
