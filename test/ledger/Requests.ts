/** Converts a market command back to the client's request, so that the ledger creates the command anew. */
import { type Instrument, priceOf, quantityOf } from "@venue/domain/Instrument"
import type { Liquidate, OpenTakeover } from "@venue/domain/Liquidation"
import type { TraderCommand } from "@venue/domain/Market"
import type { OrderRequest } from "@venue/domain/Order"
import { assert } from "@effect/vitest"

/**
 * Terms, refusals and the results of the ledger's checks come from the ledger. A price between two ticks provokes a
 * refusal.
 */
export const requestOf = (
  instrument: Instrument,
  command: Exclude<TraderCommand, Liquidate | OpenTakeover>
): OrderRequest => {
  const { accountId, commandId, expiresAtMillis } = command
  const envelope = { commandId, expiresAtMillis, accountId, symbol: instrument.symbol }
  const price = (ticks: number) => priceOf(instrument, ticks)
  const quantity = (lots: number) => quantityOf(instrument, lots)
  switch (command._tag) {
    case "Place": {
      const { bracket, builderCode, clientOrderId, priceTicks, quantityLots, reduceOnly, side, timeInForce, type } =
        command
      const { stopLossTicks = 0, takeProfitTicks = 0 } = bracket ?? {}
      return {
        _tag: "PlaceOrder",
        ...envelope,
        side,
        type,
        timeInForce,
        price: price(priceTicks),
        quantity: quantity(quantityLots),
        reduceOnly,
        clientOrderId,
        builderCode,
        ...(takeProfitTicks === 0 ? {} : { takeProfit: price(takeProfitTicks) }),
        ...(stopLossTicks === 0 ? {} : { stopLoss: price(stopLossTicks) })
      }
    }
    case "Modify": {
      const { orderId, priceTicks, quantityLots, reduceOnly, side, stopLossTicks, takeProfitTicks, type } = command
      return {
        _tag: "ModifyOrder",
        ...envelope,
        orderId: orderId.text,
        side,
        type,
        price: price(priceTicks),
        quantity: quantity(quantityLots),
        reduceOnly,
        ...(takeProfitTicks === undefined ? {} : { takeProfit: price(takeProfitTicks) }),
        ...(stopLossTicks === undefined ? {} : { stopLoss: price(stopLossTicks) })
      }
    }
    case "Cancel": {
      const { clientOrderId, orderId } = command
      return {
        _tag: "CancelOrder",
        ...envelope,
        orderId: orderId?.text ?? clientOrderId,
        byClientOrderId: orderId === null
      }
    }
    case "CancelAll":
      return {
        _tag: "CancelAllOrders",
        ...envelope,
        cause: command.cause,
        ...(command.except === undefined ? {} : { except: command.except })
      }
    case "Close":
      return {
        _tag: "ClosePosition",
        ...envelope,
        clientOrderId: command.clientOrderId,
        builderCode: command.builderCode
      }
    case "OpenTwap":
    case "PlaceSlice":
    case "CloseTwaps":
      return assert.fail(`a client asks for no ${command._tag}`)
    case "Refuse": {
      const order = { side: "BUY", type: "LIMIT", timeInForce: "GTC", reduceOnly: false, clientOrderId: "" } as const
      return { _tag: "PlaceOrder", ...envelope, ...order, price: price(1.5), quantity: quantity(1), builderCode: "" }
    }
  }
}
