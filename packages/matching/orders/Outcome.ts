/** Outcome of a command in the log: refused with an echo, or done. The command's id is stored in both cases. */
import { priceOf, quantityOf } from "@venue/domain/Instrument"
import { type Echo, noEcho } from "@venue/domain/Echo"
import type { Liquidate, OpenTakeover } from "@venue/domain/Liquidation"
import type { Cancel, Close, Modify, Place, PlaceSlice, TraderCommand } from "@venue/domain/Market"
import type { Id } from "@venue/domain/Id"
import { parseOrderId } from "@venue/domain/OrderId"
import type { Outcome } from "@venue/domain/Reject"
import * as Book from "../book/Book.ts"
import type { Events, Market } from "../Market.ts"
import * as Outcomes from "./Outcomes.ts"
import * as Participants from "../state/Participants.ts"
import * as OrderPool from "../book/OrderPool.ts"
import * as Stops from "../stops/Stops.ts"

/** Commands whose outcome is stored. A TWAP slice is represented by its child order. */
export type Obeyed = Exclude<TraderCommand, PlaceSlice>

export const refuse = (market: Market, command: Obeyed, status: Exclude<Outcome, "DONE">, events: Events): void => {
  const { accountId, commandId, expiresAtMillis, userId } = command
  const user = Participants.user(market.participants, userId)
  // Clients never send these commands, so no refusal is recorded.
  if (command._tag === "Liquidate" || command._tag === "OpenTakeover") return done(market, command, user, events)
  remember(market, commandId, expiresAtMillis, user, status)
  events.push({
    _tag: "Refused",
    commandId,
    expiresAtMillis,
    userId,
    accountId,
    status,
    echo: ofOrder(market, command, echo(market, command)),
    atMillis: market.timeMillis
  })
}

export const done = (
  market: Market,
  { accountId, commandId, expiresAtMillis, userId }: TraderCommand,
  user: Participants.User,
  events: Events
): void => {
  remember(market, commandId, expiresAtMillis, user, "DONE")
  events.push({ _tag: "Done", commandId, expiresAtMillis, userId, accountId, atMillis: market.timeMillis })
}

export const remember = (
  market: Market,
  commandId: Id,
  expiresAtMillis: number,
  user: Participants.User,
  outcome: Outcome
): void => Outcomes.remember(market.outcomes, commandId, user.number, outcome, expiresAtMillis, market.timeMillis)

function echo(market: Market, command: Exclude<Obeyed, Liquidate | OpenTakeover>): Echo {
  switch (command._tag) {
    case "Place":
      return placed(market, command)
    case "Modify":
      return modified(market, command)
    case "Cancel":
      return cancelled(command)
    case "Close":
      return closed(command)
    case "CloseTwaps":
      return { ...noEcho, orderId: command.twapIds[0] ?? "" }
    case "CancelAll":
    case "OpenTwap":
      return noEcho
    case "Refuse":
      return command.echo
  }
}

/** Adds the fields of the open order to the echo, if the request's id belongs to an open order of the account. */
function ofOrder(market: Market, { accountId, userId }: TraderCommand, request: Echo): Echo {
  const orderId = request.orderId === "" ? undefined : parseOrderId(request.orderId)
  if (orderId === undefined) return request
  const slot = OrderPool.find(market.pool, orderId)
  const order = slot === 0 ? Stops.find(market.stops, orderId)?.order : Book.order(market, slot, orderId)
  if (order === undefined || order.accountId !== accountId || order.userId !== userId) return request
  const { clientOrderId, timeInForce } = order
  return { ...request, side: request.side ?? order.side, type: request.type ?? order.type, timeInForce, clientOrderId }
}

/** The echo contains no order id, because on the wire the missing id distinguishes a refusal from an acceptance. */
function placed({ instrument }: Market, command: Place): Echo {
  return {
    orderId: "",
    side: command.side,
    type: command.type,
    timeInForce: command.timeInForce,
    price: priceOf(instrument, command.priceTicks),
    quantity: quantityOf(instrument, command.quantityLots),
    clientOrderId: command.clientOrderId,
    reduceOnly: command.reduceOnly
  }
}

function modified({ instrument }: Market, command: Modify): Echo {
  return {
    ...noEcho,
    orderId: command.orderId.text,
    side: command.side,
    type: command.type,
    price: priceOf(instrument, command.priceTicks),
    quantity: quantityOf(instrument, command.quantityLots),
    reduceOnly: command.reduceOnly
  }
}

function cancelled({ clientOrderId, orderId }: Cancel): Echo {
  return orderId === null ? { ...noEcho, clientOrderId } : { ...noEcho, orderId: orderId.text }
}

function closed({ clientOrderId }: Close): Echo {
  return { ...noEcho, type: "LIMIT", timeInForce: "IOC", clientOrderId, reduceOnly: true }
}
