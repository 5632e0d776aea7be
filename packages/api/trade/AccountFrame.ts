/** Prints frames about an account: positions, balance, leverage. */
import type { AccountId } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import { maxNotional } from "@venue/domain/Leverage"
import type { Balance, Holding } from "@venue/domain/Balance"
import { averagePrice } from "../AveragePrice.ts"
import * as Digits from "../Digits.ts"
import { stableId } from "../StableId.ts"

/** Prints a position; a closed position is sent once more with quantity 0, so that clients remove it. */
export const positionResponse = (instrument: Instrument, holding: Holding): string =>
  `{"position_response":{"id":"${stableId(holding.accountId, holding.symbol)}","symbol":"${
    holding.symbol
  }","position":${Digits.units(holding.quantityLots * instrument.lotE8)},"margin_alloc":${Digits.money(
    holding.marginHeld
  )},"realised_pnl":${Digits.money(holding.realised)},"unrealised_pnl":${Digits.money(
    holding.unrealised
  )},"net_funding":${Digits.money(holding.funding)},"open_orders":${holding.openOrders},"open_quantity":${Digits.units(
    holding.openQuantityLots * instrument.lotE8
  )},"leverage":${holding.leverage},${marginRates(holding.leverage)},"average_price":${averagePrice(
    instrument,
    holding
  )}}}`

/** Prints a balance; only the owner of a builder code gets the member `builder_rewards`. */
export const balanceResponse = (balance: Balance): string =>
  `{"balance_response":{"id":"${balance.accountId}","user_id":"${balance.accountId}","deposit":${Digits.money(
    balance.deposit
  )},"realised_pnl":${Digits.money(balance.realised)},"order_margin":${Digits.money(
    balance.orderMargin
  )},"position_margin":${Digits.money(balance.positionMargin)},"unrealised_pnl":${Digits.money(
    balance.unrealised
  )},"net_funding":${Digits.money(balance.funding)},"available_balance":${Digits.money(
    balance.available
  )},"referral_rewards":${Digits.money(balance.referralRewards ?? 0n)},"fees":${Digits.money(balance.fees)}${
    balance.builderRewards === null ? "" : `,"builder_rewards":${Digits.money(balance.builderRewards)}`
  }}}`

/** Leverage in a market. */
export interface LeverageLevel {
  readonly instrument: Instrument
  readonly leverage: number
}

/** Prints the current leverage in each market. */
export const userLeverageResponse = (accountId: AccountId, levels: ReadonlyArray<LeverageLevel>): string =>
  `{"user_leverage_response":[${levels
    .map((level) => levelBody(stableId(accountId, level.instrument.symbol, "leverage"), level))
    .join(",")}]}`

/** Prints the leverage levels that each market offers. */
export const availableLeverageLevelsResponse = (levels: ReadonlyArray<LeverageLevel>): string =>
  `{"available_leverage_levels_response":[${levels
    .map((level) => levelBody(stableId(level.instrument.symbol, String(level.leverage)), level))
    .join(",")}]}`

/** In the specification, `leverage` is a string in this frame only. */
const levelBody = (id: string, { instrument, leverage }: LeverageLevel): string =>
  `{"id":"${id}","symbol":"${instrument.symbol}",${marginRates(leverage)},"max_notional":${Digits.money(
    maxNotional(instrument, leverage)
  )},"leverage":"${leverage}"}`

/** Prints margin rates: initial margin 1 / leverage, maintenance margin two thirds of that. */
const marginRates = (leverage: number): string =>
  `"initial_margin":${Digits.plain(1 / leverage)},"maintenance_margin":${Digits.plain(2 / (3 * leverage))}`
