/** `GET /user/positions`: what an account holds and what it has. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import type { Balance, Holding } from "@venue/domain/Trader"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { averagePrice } from "../AveragePrice.ts"
import { BalanceParts } from "../Balance.ts"
import { Rows, SchemaLink } from "../Body.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"

export const PositionPublic = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  /** Signed; negative is short. */
  position: Schema.Finite,
  average_price: Schema.Finite,
  leverage: Schema.Finite,
  /** These are rates and not amounts. */
  initial_margin: Schema.Finite,
  maintenance_margin: Schema.Finite,
  unrealised_pnl: Schema.Finite,
  realised_pnl: Schema.Finite,
  net_funding: Schema.Finite,
  open_orders: Schema.Int,
  open_quantity: Schema.Finite
}).annotate({ identifier: "PositionPublic" })
export type PositionPublic = typeof PositionPublic.Type

export const BalancePublic = Schema.Struct({
  $schema: SchemaLink,
  ...BalanceParts
}).annotate({ identifier: "BalancePublic" })
export type BalancePublic = typeof BalancePublic.Type

export const PositionsBalanceResponseBody = Schema.Struct({
  $schema: SchemaLink,
  positions: Rows(PositionPublic),
  balance: BalancePublic
}).annotate({ identifier: "PositionsBalanceResponseBody" })

export const PositionsGroup = HttpApiGroup.make("positions")
  .add(
    HttpApiEndpoint.get("positions", "/user/positions", {
      success: PositionsBalanceResponseBody,
      error: ServiceUnavailable
    })
  )
  .middleware(Authenticated)

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
