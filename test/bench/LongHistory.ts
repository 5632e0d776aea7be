/** Writes one account's long trade history, in the form in which the market projection writes trades. */
import { initialInstruments } from "@venue/domain/Instrument"
import type { PostgresClient } from "./Database.ts"

export interface LongHistory {
  readonly accountId: string
  readonly trades: number
}

const perStatement = 200_000
const fillsOfOrder = 2
const secondsOfTrade = 1

/**
 * Writes one trade per second up to the current time, cycling through all markets, and one filled order for every two
 * trades. Only this account's side of each trade is written. The trade numbers are higher than any that a market
 * assigns.
 */
export const write = async (
  database: PostgresClient,
  { accountId, trades }: LongHistory,
  say: (text: string) => void
): Promise<void> => {
  const startedAt = performance.now()
  const nowMillis = Date.now()
  const { rows } = await database.query<{ next: string }>({
    text: "select coalesce(max(number) + 1, $1) as next from trade where number >= $1",
    values: [firstNumber]
  })
  const next = Number(rows[0]!.next)
  const symbols = initialInstruments.map(({ symbol }) => symbol)
  for (let from = 0; from < trades; from += perStatement) {
    const to = Math.min(trades, from + perStatement)
    const values = [accountId, from, to - 1, trades, nowMillis, symbols, next]
    await database.query({ text: tradesStatement, values })
    await database.query({ text: ordersStatement, values: values.slice(0, 6) })
    const seconds = (performance.now() - startedAt) / 1_000
    say(`${to.toLocaleString("en-US")} of ${trades.toLocaleString("en-US")} trades, ${seconds.toFixed(0)} s`)
  }
  await database.query("vacuum (analyze) trade, ended_order")
}

const firstNumber = 4_000_000_000_000

/** Ids increase with time, as the venue's own order ids do. */
const orderId = (order: string) => `substr(md5($1), 1, 8) || '-0000-4000-8000-' || lpad(to_hex(${order}), 12, '0')`
const at = (trade: string) => `$5::bigint - ($4::bigint - ${trade}) * ${secondsOfTrade * 1_000}`
const symbolOf = (order: string) => `($6::text[])[1 + ${order} % array_length($6::text[], 1)]`
const sideOf = (order: string) => `case when ${order} % 3 = 0 then 'SELL' else 'BUY' end`

const tradesStatement = `
  insert into trade (symbol, number, side, aggressor_side, trade_id, account_id, user_id, order_id, client_order_id, price,
    quantity, order_price, remaining, fee, realised, margin_used, order_type, time_in_force, origin, builder_code,
    liquidation, execution_type, at_millis)
  select ${symbolOf("(i / 2)")}, $7::bigint + i, ${sideOf("(i / 2)")}, 'BUY',
    substr(md5($1), 1, 8) || '-0000-4000-9000-' || lpad(to_hex(i), 12, '0'), $1, $1, ${orderId("(i / 2)")},
    'order-' || i / ${fillsOfOrder}, 30000 + i % 997, 1 + i % 89, 30000 + i % 997, 100 * (1 - i % 2), 1000 + i % 333,
    i % 7 * 100000, 5000000, 'LIMIT', 'GTC', 'USER', '', 'NONE', 'NEW', ${at("i")}
  from generate_series($2::bigint, $3::bigint) i`

const ordersStatement = `
  insert into ended_order (order_id, status, ended_at_millis, symbol, account_id, user_id, client_order_id, side, order_type,
    time_in_force, price, quantity, reduce_only)
  select ${orderId("o")}, 'FILLED', ${at(`(o * ${fillsOfOrder} + 1)`)}, ${symbolOf("o")}, $1, $1, 'order-' || o,
    ${sideOf("o")}, 'LIMIT', 'GTC', 30000, 100, false
  from generate_series($2::bigint / ${fillsOfOrder}, $3::bigint / ${fillsOfOrder}) o`
