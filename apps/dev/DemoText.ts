/** Lines of the demo's output. A reader can check their sums. */
import type { BalanceResponse, FillResponse, OrderResponse } from "@venue/api/trade/FrameSchema"

/** Formats a number with 2 to 8 decimals, without an exponent. */
export const text = (value: number): string => {
  const whole = value.toFixed(8).replace(/0{1,6}$/, "")
  return whole === "-0.00" ? "0.00" : whole
}

/** Adds amounts exactly, in millionths. */
export const sum = (...amounts: ReadonlyArray<number>): number =>
  amounts.reduce((total, amount) => total + Math.round(amount * 1e6), 0) / 1e6

export const total = (fills: ReadonlyArray<FillResponse>, of: (fill: FillResponse) => number): number =>
  sum(...fills.map(of))

/** Returns the parts of the available balance, and flags it if it differs from their sum. */
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

/** Returns each fill as price × quantity with its fee, then the changes in fees and profit. */
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
    `         fees ${text(before.fees)} + ${text(fees)} = ${text(sum(before.fees, fees))}; the venue reports ` +
      `${text(after.fees)}${verdict(sum(before.fees, fees), after.fees)}`,
    `         realised ${text(before.realised_pnl)} + ${text(realised)} = ${text(sum(before.realised_pnl, realised))}; the venue ` +
      `reports ${text(after.realised_pnl)}${verdict(sum(before.realised_pnl, realised), after.realised_pnl)}`
  ]
}

/** Returns a waiting stop and the mark at which it fires. */
export const stopLine = (name: string, { price, quantity, side, type }: OrderResponse): string => {
  const reached = (type === "TAKE_PROFIT") === (side === "SELL") ? "rises" : "falls"
  return `  ${name.padEnd(6)} stop     ${type} ${side} ${text(quantity)} once the mark ${reached} to ${text(price)}`
}

/** Returns the balance's change: realised profit less fees, and funding paid meanwhile. */
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

/** Returns the equity: the balance that would remain if all positions were closed at the mark. */
const equity = (balance: BalanceResponse): number => sum(cash(balance), balance.realised_pnl, balance.unrealised_pnl)

const verdict = (computed: number, reported: number): string =>
  sum(computed, -reported) === 0 ? "" : "  (does not add up)"
