/** Tests of frames about an account, against the reference examples. */
import * as Frame from "@venue/api/trade/Frame"
import { AccountId } from "@venue/domain/AccountId"
import { initialInstruments } from "@venue/domain/Instrument"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Balance, Holding } from "@venue/domain/Balance"
import { expect, it } from "@effect/vitest"

const gold = initialInstruments.find(({ symbol }) => symbol === "GOLD-USD")!
const alice = AccountId.make("3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10")
const holding: Holding = {
  accountId: alice,
  symbol: MarketSymbol.make("GOLD-USD"),
  quantityLots: 1_500,
  basis: 5_116_650_000,
  realised: 0,
  unrealised: 1_650_000n,
  funding: -12_000,
  fees: 0,
  leverage: 20,
  marginHeld: 255_915_000n,
  openOrders: 1,
  openQuantityLots: 1_000
}
const balance: Balance = {
  accountId: alice,
  deposit: 25_000_000_000n,
  realised: 118_400_000n,
  unrealised: 1_650_000n,
  funding: -12_000n,
  fees: 511_665n,
  builderRewards: null,
  orderMargin: 170_560_000n,
  positionMargin: 255_915_000n,
  equity: 0n,
  available: 24_730_301_335n,
  withdrawable: 0n
}

it("prints a position with its margin rates", () => {
  const {
    position_response: { id, ...row }
  } = JSON.parse(Frame.positionResponse(gold, holding))
  expect(row).toEqual({
    symbol: "GOLD-USD",
    position: 1.5,
    margin_alloc: 255.915,
    realised_pnl: 0,
    unrealised_pnl: 1.65,
    net_funding: -0.012,
    open_orders: 1,
    open_quantity: 1,
    leverage: 20,
    initial_margin: 0.05,
    maintenance_margin: 0.03333333333333333,
    average_price: 3411.1
  })
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(JSON.parse(Frame.positionResponse(gold, { ...holding, quantityLots: 0 })).position_response).toMatchObject({
    id,
    position: 0,
    average_price: 0
  })
})

it("prints a short position as a negative quantity with a positive average price", () => {
  const short = { ...holding, quantityLots: -3, basis: -10_233_300 - 1 }
  expect(JSON.parse(Frame.positionResponse(gold, short)).position_response).toMatchObject({
    position: -0.003,
    average_price: 3411.10033333
  })
})

it("prints a balance, with builder rewards only for the owner of a builder code", () => {
  const row = {
    id: alice,
    user_id: alice,
    deposit: 25000,
    realised_pnl: 118.4,
    order_margin: 170.56,
    position_margin: 255.915,
    unrealised_pnl: 1.65,
    net_funding: -0.012,
    available_balance: 24730.301335,
    referral_rewards: 0,
    fees: 0.511665
  }
  expect(JSON.parse(Frame.balanceResponse(balance))).toEqual({ balance_response: row })
  expect(JSON.parse(Frame.balanceResponse({ ...balance, builderRewards: 37_250_000n }))).toEqual({
    balance_response: { ...row, builder_rewards: 37.25 }
  })
})

it("rule 7.3: prints maintenance rates 0.6667, 0.3333 and 0.03333 for 1x, 2x and 20x", () => {
  const levels = [1, 2, 20].map((leverage) => ({ instrument: gold, leverage }))
  const { user_leverage_response: rows } = JSON.parse(Frame.userLeverageResponse(alice, levels))
  const rates = rows.map(({ initial_margin: initial, maintenance_margin: maintenance }: Record<string, number>) => [
    initial,
    maintenance!.toPrecision(4)
  ])
  expect(rates).toEqual([
    [1, "0.6667"],
    [0.5, "0.3333"],
    [0.05, "0.03333"]
  ])
})

it("prints leverage as a string only in leverage rows", () => {
  const levels = [
    { instrument: gold, leverage: 20 },
    { instrument: gold, leverage: 10 }
  ]
  const [chosen] = JSON.parse(Frame.userLeverageResponse(alice, levels)).user_leverage_response
  expect(chosen).toEqual({
    id: chosen.id,
    symbol: "GOLD-USD",
    initial_margin: 0.05,
    maintenance_margin: 0.03333333333333333,
    max_notional: 13333333.333333,
    leverage: "20"
  })
  const [, offered] = JSON.parse(Frame.availableLeverageLevelsResponse(levels)).available_leverage_levels_response
  expect(offered).toEqual({
    id: offered.id,
    symbol: "GOLD-USD",
    initial_margin: 0.1,
    maintenance_margin: 0.06666666666666667,
    max_notional: 16666666.666666,
    leverage: "10"
  })
})
