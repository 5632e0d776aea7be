/** Events of three accounts in three markets within a few seconds, so that many rows share a time. */
import { AccountId } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { OrderType, Side } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import { TwapId, unplaced } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import { id } from "../../Id.ts"
import { ended, order, traded } from "../../journal/EventsByHand.ts"

export const symbols = ["HIST-A-USD", "HIST-B-USD", "HIST-C-USD"].map((name) => MarketSymbol.make(name))
export const accounts = ["hist-1", "hist-2", "hist-3"].map((name) => AccountId.make(name))
export const clientOrderIds = ["mine", "yours", ""]

/** Generates deterministic pseudo-random numbers below `bound`. */
const chances = (seed: number) => {
  let state = seed
  return (bound: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * bound)
  }
}

/** Returns the events of one row in a market. `from` is the number of the row's first trade. */
export const eventsOf = (symbol: MarketSymbol, from: number, count: number): ReadonlyArray<MarketEvent> => {
  const chance = chances(from * 31 + symbols.indexOf(symbol) + 1)
  const pick = <A>(all: ReadonlyArray<A>): A => all[chance(all.length)]!
  return Array.from({ length: count }, (_, index) => from + index).flatMap((number): ReadonlyArray<MarketEvent> => {
    const atMillis = 1_000 * (1 + chance(9))
    const trade = traded(`${symbol}-${number}`, number, { atMillis, price: 100 + chance(50), quantity: 1 + chance(90) })
    const [maker, taker] = [chance(3), 1 + chance(2)]
    const side = pick(Side.literals)
    const as = (account: number, orderSide: Side) => ({
      accountId: accounts[account % 3]!,
      userId: UserId.make(accounts[account % 3]!),
      side: orderSide,
      type: pick(OrderType.literals),
      // Three consecutive trades share an order.
      orderId: orderIdFrom(id(`${symbol}-${orderSide}-${Math.floor(number / 3)}`)),
      clientOrderId: pick(clientOrderIds)
    })
    const taken = { ...trade.taker, order: { ...trade.taker.order, ...as(maker + taker, side) } }
    const made = { ...trade.maker, order: { ...trade.maker.order, ...as(maker, side === "BUY" ? "SELL" : "BUY") } }
    const events: Array<MarketEvent> = [{ ...trade, taker: taken, maker: made }]
    if (number % 3 === 2) {
      events.push({ ...ended(taken.order, "CANCELLED"), atMillis } as MarketEvent)
    }
    if (number % 4 === 0) {
      const unfilled = order(`${symbol}-rest-${number}`, pick(accounts), { clientOrderId: pick(clientOrderIds) })
      events.push({ ...ended(unfilled, "CANCELLED_STP"), atMillis } as MarketEvent)
    }
    if (number % 5 === 0) events.push(twapClosed(`${symbol}-twap-${number}`, pick(accounts), atMillis, chance(100)))
    return events
  })
}

const twapClosed = (name: string, accountId: AccountId, atMillis: number, filledLots: number): MarketEvent => ({
  _tag: "TwapClosed",
  commandId: null,
  twap: {
    ...unplaced(
      {
        twapId: TwapId.make(id(name).text),
        userId: UserId.make(accountId),
        accountId,
        clientTwapId: "",
        side: "BUY",
        totalLots: 100,
        slices: 5,
        intervalMillis: 30_000,
        reduceOnly: false,
        worstTicks: 0,
        builderCode: "",
        startMillis: 500,
        createdAtMillis: 400
      },
      atMillis
    ),
    filledLots,
    filledValue: filledLots * 1_234_567
  },
  ending: "COMPLETED",
  atMillis
})
