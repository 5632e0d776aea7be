/** `GET /user/positions`: an account's positions and balance. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import type { Balance, Holding } from "@venue/domain/Balance"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { averagePrice } from "../AveragePrice.ts"
import { BalanceParts } from "../Balance.ts"
import { Rows, SchemaLink, SymbolName } from "../Body.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** An account's position in one market. */
export const PositionPublic = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  position: Schema.Finite.annotate({
    description: "Size of the position, in base units; negative for a short position."
  }),
  average_price: Schema.Finite.annotate({ description: "Average entry price, in USD per base unit." }),
  leverage: Schema.Finite.annotate({
    description: "Leverage of the account in this market: the notional divided by the margin."
  }),
  initial_margin: Schema.Finite.annotate({
    description: "Initial margin rate, as a fraction of the notional: 1 / leverage."
  }),
  maintenance_margin: Schema.Finite.annotate({
    description: "Maintenance margin rate, as a fraction of the notional."
  }),
  unrealised_pnl: Schema.Finite.annotate({
    description: "Profit or loss if the position were closed at the mark price, in USD."
  }),
  realised_pnl: Schema.Finite.annotate({
    description: "Profit or loss realised by fills that reduced the position, in USD."
  }),
  net_funding: Schema.Finite.annotate({ description: "Funding received minus funding paid, in USD." }),
  open_orders: Schema.Int.annotate({ description: "Number of open orders of the account in this market." }),
  open_quantity: Schema.Finite.annotate({ description: "Unfilled quantity of the open orders, in base units." })
}).annotate({ identifier: "PositionPublic", description: "Position of an account in one market." })
export type PositionPublic = typeof PositionPublic.Type

/** An account's money. */
export const BalancePublic = Schema.Struct({
  $schema: SchemaLink,
  ...BalanceParts
}).annotate({ identifier: "BalancePublic", description: "Balance of an account." })
export type BalancePublic = typeof BalancePublic.Type

/** Response body of `GET /user/positions`. */
export const PositionsBalanceResponseBody = Schema.Struct({
  $schema: SchemaLink,
  positions: Rows(PositionPublic).annotate({
    description:
      "Positions of the account, one entry for each market with an open position, open orders or realised profit or loss."
  }),
  balance: BalancePublic
}).annotate({ identifier: "PositionsBalanceResponseBody" })

export const PositionsGroup = HttpApiGroup.make("positions")
  .add(
    HttpApiEndpoint.get("positions", "/user/positions", {
      success: PositionsBalanceResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "Get positions and balance",
        "Returns a consistent snapshot of the positions and the balance of an account. Refused with 403 if the " +
          "credentials lack `view_positions` or do not cover the account."
      )
    )
  )
  .middleware(Authenticated)

/** Converts a position to its wire format. */
export const positionPublic = (instrument: Instrument, holding: Holding): PositionPublic => ({
  symbol: holding.symbol,
  position: quantityOf(instrument, holding.quantityLots),
  average_price: Number(averagePrice(instrument, holding)),
  leverage: holding.leverage,
  initial_margin: 1 / holding.leverage,
  maintenance_margin: 2 / (3 * holding.leverage),
  unrealised_pnl: decimalOfMoney(holding.unrealised),
  realised_pnl: decimalOfMoney(holding.realised),
  net_funding: decimalOfMoney(holding.funding),
  open_orders: holding.openOrders,
  open_quantity: quantityOf(instrument, holding.openQuantityLots)
})

/** Converts a balance to its wire format; only the owner of a builder code gets `builder_rewards`. */
export const balancePublic = (balance: Balance): BalancePublic => ({
  deposit: decimalOfMoney(balance.deposit),
  realised_pnl: decimalOfMoney(balance.realised),
  order_margin: decimalOfMoney(balance.orderMargin),
  position_margin: decimalOfMoney(balance.positionMargin),
  unrealised_pnl: decimalOfMoney(balance.unrealised),
  net_funding: decimalOfMoney(balance.funding),
  available_balance: decimalOfMoney(balance.available),
  ...(balance.builderRewards === null ? {} : { builder_rewards: decimalOfMoney(balance.builderRewards) })
})
