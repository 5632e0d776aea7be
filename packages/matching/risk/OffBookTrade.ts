/** Trade between two accounts off the book, made by the venue itself. Any fees go to the reserve fund. */
import type { AccountId } from "@venue/domain/AccountId"
import type { OffBook } from "@venue/domain/Execution"
import { type Id, version4 } from "@venue/domain/Id"
import { notional } from "@venue/domain/Instrument"
import type { Order, OrderOrigin, Side } from "@venue/domain/Order"
import { type OrderId, orderIdFrom } from "@venue/domain/OrderId"
import type { Events, Market } from "../Market.ts"
import * as Match from "../orders/Match.ts"
import * as Participants from "../state/Participants.ts"
import * as StopOrder from "../stops/StopOrder.ts"
import { digest, ofTrade } from "../orders/TradeId.ts"

export interface OffBookTrade {
  readonly offBook: OffBook
  readonly priceTicks: number
  readonly lots: number
  /** Order of the account whose position ends, with its remaining quantity before the trade. */
  readonly taker: Order
  readonly takerAccount: Participants.Account
  readonly takerFee: number
  readonly maker: Order
  readonly makerAccount: Participants.Account
  readonly makerFee: number
  /** Initial margin of the lots that the maker takes. */
  readonly makerMargin: number
}

/**
 * Returns the order that represents one account's part in the trade. No client placed this order; its id is derived
 * from `partOf`, the account and the origin.
 */
export const orderOf = (
  { timeMillis }: Market,
  { accountId, user }: Participants.Account,
  partOf: Id,
  origin: OrderOrigin,
  side: Side,
  quantityLots: number
): Order => ({
  orderId: idOf(partOf, accountId, origin),
  userId: user.userId,
  accountId,
  side,
  type: "MARKET",
  timeInForce: "IOC",
  priceTicks: 0,
  quantityLots,
  remainingLots: quantityLots,
  reduceOnly: false,
  clientOrderId: "",
  origin,
  builderCode: "",
  modified: false,
  updatedAtMillis: timeMillis
})

/** Records the trade and fills the maker's order completely. The last price of the book is unchanged. */
export const trade = (market: Market, made: OffBookTrade, events: Events): Order => {
  const { lots, makerAccount, makerFee, offBook, priceTicks, takerAccount, takerFee } = made
  const money = notional(market.instrument, priceTicks, lots)
  const takerSells = made.taker.side === "SELL"
  const realised = Match.bookTrade(market, makerAccount, takerAccount, takerSells, lots, money, makerFee, takerFee)
  Participants.reserve(market.participants, makerFee + takerFee)
  const number = ++market.trades
  const taker = { ...made.taker, remainingLots: made.taker.remainingLots - lots }
  events.push({
    _tag: "Traded",
    tradeId: ofTrade(number, market.salt),
    number,
    priceTicks,
    quantityLots: lots,
    notional: money,
    maker: {
      order: { ...made.maker, remainingLots: 0 },
      fee: makerFee,
      realised: realised.maker,
      marginUsed: made.makerMargin,
      reward: null
    },
    taker: { order: taker, fee: takerFee, realised: realised.taker, marginUsed: 0, reward: null },
    offBook,
    atMillis: market.timeMillis
  })
  if (makerAccount.reducing > 0) Match.trim(market, makerAccount, events)
  if (market.stops.byId.size > 0) StopOrder.trim(market, makerAccount, events)
  return taker
}

function idOf({ a, b, c, d }: Id, accountId: AccountId, origin: OrderOrigin): OrderId {
  const text = `${origin} ${accountId}`
  return orderIdFrom(version4(a ^ digest(text, 1), b ^ digest(text, 2), c ^ digest(text, 3), d ^ digest(text, 4)))
}
