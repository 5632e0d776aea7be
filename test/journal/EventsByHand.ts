/** Market events with default values that a test can override. */
import { AccountId } from "@venue/domain/AccountId"
import type { Fill, MarketEvent, Refused, Traded } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import type { TraderEvent } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { id } from "../Id.ts"

export const order = (name: string, accountId: AccountId, changes: Partial<Order>): Order => ({
  orderId: orderIdFrom(id(name)),
  userId: UserId.make(accountId),
  accountId,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  priceTicks: 34_112,
  quantityLots: 2_500,
  remainingLots: 2_500,
  reduceOnly: false,
  clientOrderId: "mm-1",
  origin: "USER",
  builderCode: "",
  modified: false,
  updatedAtMillis: 1_790_503_240_000,
  ...changes
})

export const traded = (
  name: string,
  number: number,
  {
    atMillis = 1_790_503_244_118,
    price: priceTicks = 34_110,
    quantity: quantityLots = 1_500,
    ...rest
  }: {
    readonly atMillis?: number
    readonly price?: number
    readonly quantity?: number
    readonly takerFee?: number
    readonly makerFee?: number
    readonly realised?: number
    readonly marginUsed?: number
    readonly takerRemaining?: number
  }
): Traded => {
  const fill = (role: string, side: Order["side"], remainingLots: number, fee: number): Fill => ({
    order: order(`${name}-${role}-order`, AccountId.make(`${name}-${role}`), { side, remainingLots }),
    fee,
    realised: rest.realised ?? 0,
    marginUsed: role === "taker" ? (rest.marginUsed ?? 0) : 0,
    reward: null
  })
  return {
    _tag: "Traded",
    tradeId: id(`${name}-trade-${number}`),
    number,
    priceTicks,
    quantityLots,
    notional: priceTicks * quantityLots,
    maker: fill("maker", "SELL", 500, rest.makerFee ?? 0),
    taker: fill("taker", "BUY", rest.takerRemaining ?? 1_000, rest.takerFee ?? 0),
    atMillis
  }
}

export const ended = (order: Order, status: "CANCELLED" | "CANCELLED_STP"): MarketEvent => ({
  _tag: "Ended",
  commandId: null,
  order,
  status,
  atMillis: 1_790_503_250_000
})

export const refused = (name: string, status: Refused["status"], echo: Partial<Refused["echo"]>): Refused => ({
  _tag: "Refused",
  commandId: id(name),
  expiresAtMillis: 1_790_503_254_118,
  userId: UserId.make("no"),
  accountId: AccountId.make("no"),
  status,
  echo: {
    orderId: "",
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    price: 10,
    quantity: 2.5,
    clientOrderId: "",
    reduceOnly: false,
    ...echo
  },
  atMillis: 1_790_503_244_118
})

export const credited = (accountId: AccountId, amount: bigint): TraderEvent => ({
  _tag: "Credited",
  creditId: "credit",
  accountId,
  amount,
  reason: "demo",
  atMillis: 1_790_503_244_118
})

export const transferred = (fromAccountId: AccountId, toAccountId: AccountId, amount: bigint): TraderEvent => ({
  _tag: "Transferred",
  transferId: "transfer",
  fromAccountId,
  toAccountId,
  amount,
  atMillis: 1_790_503_244_118
})
