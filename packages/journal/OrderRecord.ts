/**
 * Encodes an order in a market record. For an order that equals the previous one, only the remaining quantity is
 * written.
 */
import { type AccountId, isPrimary, primaryAccountOf } from "@venue/domain/AccountId"
import { isSame as isSameId } from "@venue/domain/Id"
import type { Bracket, Order } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import type { UserId } from "@venue/domain/UserId"
import type { Reader, Writer } from "./Bytes.ts"
import { name, names, origins, sides, times, types } from "./MarketCode.ts"

/** Values from earlier events that both encoder and decoder keep, so that a repeated value takes one byte. */
export interface Context {
  atMillis: number
  /** Last order that was not a maker order. */
  taker: Order | undefined
  maker: Order | undefined
}

export function write(writer: Writer, order: Order, context: Context, taking: boolean): void {
  const now = order.updatedAtMillis === context.atMillis
  const last = taking ? context.taker : context.maker
  if (last !== undefined && (now || order.updatedAtMillis === last.updatedAtMillis) && isSame(order, last)) {
    writer.byte(now ? updatedNow : 0)
    return writer.number(order.remainingLots)
  }
  if (taking) context.taker = order
  else context.maker = order
  const own = isPrimary(order.accountId, order.userId)
  const whole = order.remainingLots === order.quantityLots
  writer.byte(
    sides[order.side] |
      (order.reduceOnly ? reduceOnly : 0) |
      (own ? accountIsUser : 0) |
      (now ? updatedNow : 0) |
      (whole ? unfilled : 0) |
      (order.modified ? modified : 0) |
      (order.bracket === undefined ? 0 : bracketed)
  )
  writer.byte(types[order.type] | (times[order.timeInForce] << 4))
  writer.byte(origins[order.origin])
  writer.id(order.orderId)
  writer.text(order.userId)
  if (!own) writer.text(order.accountId)
  writer.number(order.priceTicks)
  writer.number(order.quantityLots)
  if (!whole) writer.number(order.remainingLots)
  writer.text(order.clientOrderId)
  writer.text(order.builderCode)
  if (!now) writer.number(order.updatedAtMillis)
  if (order.bracket === undefined) return
  writer.number(order.bracket.takeProfitTicks)
  writer.number(order.bracket.stopLossTicks)
  writer.number(order.bracket.takerRate)
}

export function read(reader: Reader, context: Context, taking: boolean): Order {
  const first = reader.byte()
  const now = (first & updatedNow) !== 0
  if ((first & side) === 0) {
    const last = taking ? context.taker : context.maker
    if (last === undefined) throw new Error("the market record refers to an earlier order that it does not contain")
    return { ...last, remainingLots: reader.number(), updatedAtMillis: now ? context.atMillis : last.updatedAtMillis }
  }
  const kind = reader.byte()
  const origin = name(originOf, reader.byte())
  const orderId = orderIdFrom(reader.id())
  const userId = reader.known<UserId>()
  const accountId = (first & accountIsUser) !== 0 ? primaryAccountOf(userId) : reader.known<AccountId>()
  const priceTicks = reader.number()
  const quantityLots = reader.number()
  const plain: Order = {
    orderId,
    userId,
    accountId,
    side: name(sideOf, first & side),
    type: name(typeOf, kind & 15),
    timeInForce: name(timeOf, kind >>> 4),
    priceTicks,
    quantityLots,
    remainingLots: (first & unfilled) !== 0 ? quantityLots : reader.number(),
    reduceOnly: (first & reduceOnly) !== 0,
    clientOrderId: reader.text(),
    origin,
    builderCode: reader.known(),
    modified: (first & modified) !== 0,
    updatedAtMillis: now ? context.atMillis : reader.number()
  }
  const order = (first & bracketed) === 0 ? plain : { ...plain, bracket: readBracket(reader) }
  if (taking) context.taker = order
  else context.maker = order
  return order
}

function readBracket(reader: Reader): Bracket {
  return { takeProfitTicks: reader.number(), stopLossTicks: reader.number(), takerRate: reader.number() }
}

/** Returns whether two orders are equal, ignoring remaining quantity and update time. */
function isSame(order: Order, last: Order): boolean {
  return (
    isSameId(order.orderId, last.orderId) &&
    order.priceTicks === last.priceTicks &&
    order.quantityLots === last.quantityLots &&
    order.userId === last.userId &&
    order.accountId === last.accountId &&
    order.side === last.side &&
    order.type === last.type &&
    order.timeInForce === last.timeInForce &&
    order.reduceOnly === last.reduceOnly &&
    order.clientOrderId === last.clientOrderId &&
    order.origin === last.origin &&
    order.builderCode === last.builderCode &&
    order.modified === last.modified &&
    isSameBracket(order.bracket, last.bracket)
  )
}

function isSameBracket(bracket: Bracket | undefined, other: Bracket | undefined): boolean {
  if (bracket === undefined || other === undefined) return bracket === other
  return (
    bracket.takeProfitTicks === other.takeProfitTicks &&
    bracket.stopLossTicks === other.stopLossTicks &&
    bracket.takerRate === other.takerRate
  )
}

const sideOf = names(sides)
const typeOf = names(types)
const timeOf = names(times)
const originOf = names(origins)

// First byte of an order: the order's side (0 if the order repeats the last one) and these flags.
const side = 3
const reduceOnly = 4
const accountIsUser = 8
const updatedNow = 16
const unfilled = 32
const modified = 64
const bracketed = 128
