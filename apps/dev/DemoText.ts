/** The demo's figures in words that a reader can add up by hand. */
import type { BalanceResponse, FillResponse, OrderResponse } from "@venue/api/trade/FrameSchema"

/** Two decimals, or as many as there are up to eight; never an exponent. */
export const text = (value: number): string => {
  const whole = value.toFixed(8).replace(/0{1,6}$/, "")
  return whole === "-0.00" ? "0.00" : whole
}

/** Money is exact in millionths; sums are made there. */
export const sum = (...amounts: ReadonlyArray<number>): number =>
  amounts.reduce((total, amount) => total + Math.round(amount * 1e6), 0) / 1e6

export const total = (fills: ReadonlyArray<FillResponse>, of: (fill: FillResponse) => number): number =>
  sum(...fills.map(of))

/** The parts of the available balance and whether they make it. */
export const balanceLines = (name: string, balance: BalanceResponse): ReadonlyArray<string> => {
  const computed = sum(equity(balance), -balance.order_margin, -balance.position_margin)
  const rewards = sum(balance.referral_rewards, balance.builder_rewards ?? 0)
  return [
    `  ${name.padEnd(6)} deposit ${text(balance.deposit)} + realised ${text(balance.realised_pnl)} + unrealised ` +
      `${text(balance.unrealised_pnl)} + funding ${text(balance.net_funding)} + rewards ${text(rewards)} - fees ${text(balance.fees)}`,
    `         - order margin ${text(balance.order_margin)} - position margin ${text(balance.position_margin)} = ` +
      `${text(computed)}; available_balance ${text(balance.available_balance)}${verdict(computed, balance.available_balance)}`
  ]
}

/** Each fill as price x quantity and fee, then what the fees did to the balance. */
export const fillLines = (
  name: string,
  fills: ReadonlyArray<FillResponse>,
  before: BalanceResponse,
  after: BalanceResponse
): ReadonlyArray<string> => {
  const fees = total(fills, (fill) => fill.fee)
  const realised = total(fills, (fill) => fill.realised_pnl)
  return [
    ...fills.map((fill) => {
      const notional = sum(fill.price * fill.quantity)
      const rate = notional === 0 ? 0 : (fill.fee / notional) * 100
      return (
        `  ${name.padEnd(6)} ${fill.side === "BUY" ? "bought" : "sold"} ${text(fill.quantity)} x ${text(fill.price)} = ` +
        `${text(notional)}; fee ${text(notional)} x ${text(rate)} % = ${text(fill.fee)}`
      )
    }),
    `         fees ${text(before.fees)} + ${text(fees)} = ${text(sum(before.fees, fees))}; the venue says ` +
      `${text(after.fees)}${verdict(sum(before.fees, fees), after.fees)}`,
    `         realised ${text(before.realised_pnl)} + ${text(realised)} = ${text(sum(before.realised_pnl, realised))}; the venue ` +
      `says ${text(after.realised_pnl)}${verdict(sum(before.realised_pnl, realised), after.realised_pnl)}`
  ]
}

/** What waits for the mark, and when. */
export const stopLine = (name: string, { price, quantity, side, type }: OrderResponse): string => {
  const reached = (type === "TAKE_PROFIT") === (side === "SELL") ? "rises" : "falls"
  return `  ${name.padEnd(6)} stop     ${type} ${side} ${text(quantity)} once the mark ${reached} to ${text(price)}`
}

/** Profit is what was realised less fees; funding may have been paid meanwhile. */
export const changeLine = (name: string, before: BalanceResponse, after: BalanceResponse): string => {
  const realised = sum(after.realised_pnl, -before.realised_pnl)
  const fees = sum(after.fees, -before.fees)
  const from = sum(cash(before), before.realised_pnl)
  const to = sum(cash(after), after.realised_pnl)
  const rest = sum(to, -from, -realised, fees)
  const other = rest === 0 ? "" : ` + funding and credits ${text(rest)}`
  return `  ${name.padEnd(6)} ${text(from)} + realised ${text(realised)} - fees ${text(fees)}${other} = ${text(to)}`
}

const cash = (balance: BalanceResponse): number =>
  sum(balance.deposit, balance.net_funding, balance.referral_rewards, balance.builder_rewards ?? 0, -balance.fees)

/** Everything but the margins: what the account would hold if it closed at the mark. */
const equity = (balance: BalanceResponse): number => sum(cash(balance), balance.realised_pnl, balance.unrealised_pnl)

const verdict = (computed: number, said: number): string => (sum(computed, -said) === 0 ? "" : "  (does not add up)")
