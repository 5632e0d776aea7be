/** Response frames for trade socket queries. */
import * as Frame from "@venue/api/trade/Frame"
import type {
  GetAvailableLeverageLevels,
  GetOrder,
  GetUserLeverage,
  GetUserOrders,
  GetUserTrades
} from "@venue/api/trade/QueryCommand"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { OpenOrder, OpenOrders, RateLimited, Read } from "@venue/cluster/protocol/Desk"
import type { Unavailable } from "@venue/cluster/protocol/Market"
import { Feed } from "@venue/cluster/feed/Feed"
import { noEcho } from "@venue/domain/Echo"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { statusAt } from "@venue/domain/Twap"
import * as Count from "@venue/postgres/Count"
import * as Trades from "@venue/storage/history/Trades"
import * as Trading from "@venue/storage/history/Trading"
import { Clock, Effect } from "effect"
import { History } from "../History.ts"

/** Reads a query's data and returns the response frame. */
export type Answer = Effect.Effect<string, Unavailable | RateLimited>

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const history = yield* History
  const clock = yield* Clock.Clock
  const { instruments } = yield* Feed

  const resting = ({ order, symbol }: OpenOrder): Frame.RestingOrder => ({
    instrument: instruments.get(symbol)!,
    order,
    status: order.modified ? "MODIFIED" : "ACK",
    updateMillis: order.updatedAtMillis
  })

  const active = ({ symbol, twap }: OpenOrders["twaps"][0]): Frame.TwapRow => ({
    instrument: instruments.get(symbol)!,
    twap,
    status: statusAt(twap, clock.currentTimeMillisUnsafe())
  })

  const order = (reader: Read, { orderId, symbol: wanted }: GetOrder): Answer =>
    Effect.map(desks.orders(reader), ({ orders: open }) => {
      const match =
        open.find(({ order, symbol }) => symbol === wanted && order.orderId.text === orderId) ??
        open.find(
          ({ isAttached, order, symbol }) => symbol === wanted && isAttached !== true && order.clientOrderId === orderId
        )
      return match !== undefined
        ? Frame.getOrderResponse(resting(match))
        : Frame.refusal(wanted, {
            accountId: reader.accountId,
            status: "NO_SUCH_ORDER",
            echo: { ...noEcho, orderId },
            atMillis: clock.currentTimeMillisUnsafe()
          })
    })

  const openOrders = (reader: Read, { limit, offset, symbol: wanted }: GetUserOrders): Answer =>
    Effect.map(desks.orders(reader), (open) => {
      const isWanted = ({ symbol }: { readonly symbol: MarketSymbol }) => wanted === null || symbol === wanted
      return Frame.allOrdersResponse(
        open.orders
          .filter(isWanted)
          .slice(offset, offset + limit)
          .map(resting),
        open.twaps.filter(isWanted).map(active)
      )
    })

  const trades = (reader: Read, { endMillis, limit, offset, orderId, startMillis }: GetUserTrades): Answer => {
    const filter = {
      accountId: reader.accountId,
      orderId: orderId ?? undefined,
      startMillis: startMillis ?? undefined,
      endMillis: endMillis === null ? undefined : endMillis + 1
    }
    return Effect.gen(function* () {
      const rows = yield* history.read(reader, Trading, Trades.page({ ...filter, limit, offset }))
      const count = yield* Count.total({ limit, offset }, rows.length, history.count(Trades.count(filter)))
      return Frame.userTradesResponse((symbol) => instruments.get(symbol)!, rows, count)
    })
  }

  const leverages = (reader: Read, { limit, offset }: GetUserLeverage): Answer =>
    Effect.map(desks.leverages(reader), (levels) =>
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

  return { order, openOrders, trades, leverages, levels }
})
