/**
 * Compares the state that the venue shows with the responses it sent, and describes each missing, duplicate or wrong
 * item.
 */
import { type TraderRecord, type OrderRecord, lots, money, orderOf } from "./TraderRecord.ts"
import type { OrderRow, TradeRow } from "./TradeSocket.ts"
import type { Truth } from "./Truth.ts"

export interface Account {
  readonly record: TraderRecord
  readonly truth: Truth
}

/** The dev app's first deposit for each trader, in USD. */
const deposit = 100_000

export const faults = (accounts: ReadonlyArray<Account>): ReadonlyArray<string> => [
  ...accounts.flatMap(({ record, truth }) =>
    [...record.faults, ...ordersOf(record, truth), ...tradesOf(record, truth), ...sumsOf(truth)].map(
      (fault) => `${record.user.name}: ${fault}`
    )
  ),
  ...together(accounts.map(({ truth }) => truth))
]

/** Records the state that was read as the acknowledged state, and drops the commands that still have no response. */
export const accept = ({ record, truth }: Account): void => {
  for (const row of truth.open) record.orders.set(row.order_id, orderOf(row))
  for (const trade of truth.trades) record.fills.set(trade.trade_id, trade)
  const open = new Set(truth.open.map(({ order_id }) => order_id))
  const filled = filledOf(truth.trades)
  for (const order of record.orders.values()) {
    if (!open.has(order.orderId)) order.end ??= { status: "GONE", filled: filled.get(order.orderId) ?? 0 }
  }
  record.unanswered.adds.clear()
  record.unanswered.cancels.clear()
  record.unanswered.modifications.clear()
}

function ordersOf(record: TraderRecord, truth: Truth): ReadonlyArray<string> {
  const open = new Map(truth.open.map((row) => [row.order_id, row]))
  const filled = filledOf(truth.trades)
  const faults: Array<string> = []
  if (open.size !== truth.open.length) faults.push("an open order is listed twice")
  for (const order of record.orders.values()) {
    const fault = orderFault(record, order, open.get(order.orderId), filled.get(order.orderId) ?? 0)
    if (fault !== undefined) faults.push(`order ${order.orderId} (${order.clientOrderId}) ${fault}`)
  }
  for (const row of truth.open) {
    const sum = filled.get(row.order_id) ?? 0
    if (lots(row.quantity_remaining) !== lots(row.quantity) - sum) {
      faults.push(
        `open order ${row.order_id} has ${row.quantity_remaining} of ${row.quantity} left; its trades sum to ${sum / 1e8}`
      )
    }
  }
  return [...faults, ...identities(record, truth)]
}

function orderFault(
  record: TraderRecord,
  order: OrderRecord,
  row: OrderRow | undefined,
  filled: number
): string | undefined {
  const { clientOrderId, end, orderId } = order
  const { cancels, modifications } = record.unanswered
  const perhaps = modifications.get(orderId)
  const type = record.sent.get(clientOrderId)?.order_type
  if (end !== undefined) {
    if (row !== undefined) return `was reported ${end.status} and is open`
    if (end.filled !== filled)
      return `was reported ${end.status} with ${end.filled / 1e8} filled; its trades sum to ${filled / 1e8}`
    return undefined
  }
  if (filled > Math.max(lots(order.quantity), lots(perhaps?.quantity ?? 0))) return `has more trades than its quantity`
  if (type === "MARKET") return row === undefined ? undefined : "is a market order and is open"
  if (row !== undefined) {
    const possible = perhaps === undefined ? [order] : [order, perhaps]
    const fits = possible.some(({ price, quantity }) => price === row.price && quantity === row.quantity)
    if (!fits) return `was acknowledged with ${order.quantity} at ${order.price} and is ${row.quantity} at ${row.price}`
    return row.side === order.side && row.client_order_id === clientOrderId ? undefined : "is another order now"
  }
  if (filled === lots(order.quantity) || (perhaps !== undefined && filled === lots(perhaps.quantity))) return undefined
  if (cancels.has(orderId) || mayHaveMetItself(record, order)) return undefined
  return `was acknowledged, has ${filled / 1e8} of ${order.quantity} filled, and is gone`
}

/**
 * Returns whether another order of the user, with an unknown outcome, might have matched this one. Self-trade
 * prevention would then have cancelled the resting order.
 */
function mayHaveMetItself({ unanswered }: TraderRecord, order: OrderRecord): boolean {
  return [...unanswered.adds.values()].some((other) => {
    if (other.symbol !== order.symbol || other.side === order.side) return false
    if (other.order_type === "MARKET") return true
    return other.side === "BUY" ? other.price >= order.price : other.price <= order.price
  })
}

/** Checks that the user sent every order, that each exists at most once, and that no refused order exists. */
function identities(record: TraderRecord, { open, trades }: Truth): ReadonlyArray<string> {
  const orderIds = new Map<string, Set<string>>()
  const rows = [...open, ...trades].map((row) => ({ clientOrderId: row.client_order_id, orderId: row.order_id }))
  for (const { clientOrderId, orderId } of [...rows, ...record.orders.values()]) {
    orderIds.set(clientOrderId, (orderIds.get(clientOrderId) ?? new Set()).add(orderId))
  }
  return [...orderIds].flatMap(([clientOrderId, ids]) => {
    if (!record.sent.has(clientOrderId)) return [`${clientOrderId} was never sent`]
    if (record.refused.has(clientOrderId)) return [`${clientOrderId} was refused and exists as ${[...ids].join()}`]
    return ids.size > 1 ? [`${clientOrderId} was sent once and became ${[...ids].join(" and ")}`] : []
  })
}

function tradesOf(record: TraderRecord, { trades }: Truth): ReadonlyArray<string> {
  const faults: Array<string> = []
  const byId = new Map(trades.map((trade) => [trade.trade_id, trade]))
  if (byId.size !== trades.length) faults.push(`${trades.length - byId.size} trade ids are listed twice`)
  for (const fill of record.fills.values()) {
    const trade = byId.get(fill.trade_id)
    if (trade === undefined) {
      faults.push(`fill ${fill.trade_id} of order ${fill.order_id} was sent and is missing from the trades`)
    } else if (columnsOf(trade) !== columnsOf(fill)) {
      faults.push(`fill ${fill.trade_id} was sent as ${columnsOf(fill)} and is ${columnsOf(trade)}`)
    }
  }
  for (const [tradeId, orderId] of record.filled) {
    if (byId.get(tradeId)?.order_id !== orderId)
      faults.push(`FILLED ${tradeId} of order ${orderId} is missing from its trades`)
  }
  return faults
}

const columnsOf = (row: TradeRow): string =>
  [row.order_id, row.client_order_id, row.symbol, row.side, row.price, row.quantity, row.fee, row.realised_pnl].join(
    " "
  )

/** Checks that positions, realised PnL and fees are sums of the trades. */
function sumsOf({ balance, positions, trades }: Truth): ReadonlyArray<string> {
  const faults: Array<string> = []
  const bought = new Map(positions.map(({ symbol }) => [symbol, 0]))
  const realised = new Map(positions.map(({ symbol }) => [symbol, 0]))
  let fees = 0
  for (const trade of trades) {
    bought.set(trade.symbol, (bought.get(trade.symbol) ?? 0) + signed(trade))
    realised.set(trade.symbol, (realised.get(trade.symbol) ?? 0) + money(trade.realised_pnl))
    fees += money(trade.fee)
  }
  for (const [symbol, sum] of bought) {
    const position = positions.find((row) => row.symbol === symbol)
    if (lots(position?.position ?? 0) !== sum) {
      faults.push(`${symbol}: the position is ${position?.position}, its trades sum to ${sum / 1e8}`)
    }
  }
  const all = [...realised.values()].reduce((sum, part) => sum + part, 0)
  if (money(balance.realised_pnl) !== all) faults.push(`realised ${balance.realised_pnl}, by trades ${all / 1e6}`)
  if (money(balance.fees) !== fees) faults.push(`fees ${balance.fees}, by trades ${fees / 1e6}`)
  if (balance.deposit !== deposit) faults.push(`deposit ${balance.deposit}, given ${deposit}`)
  return faults
}

/** Checks all traders together: every trade has two sides, and the positions in each market sum to zero. */
function together(truths: ReadonlyArray<Truth>): ReadonlyArray<string> {
  const faults: Array<string> = []
  const sides = new Map<string, Array<TradeRow>>()
  for (const trade of truths.flatMap(({ trades }) => trades)) {
    sides.set(trade.trade_id, [...(sides.get(trade.trade_id) ?? []), trade])
  }
  for (const [tradeId, rows] of sides) {
    const [one, other] = rows
    const agree = one?.price === other?.price && one?.quantity === other?.quantity && one?.side !== other?.side
    if (rows.length !== 2 || !agree)
      faults.push(`trade ${tradeId} has ${rows.length} sides: ${rows.map(columnsOf).join(", ")}`)
  }
  const net = new Map<string, number>()
  for (const { position, symbol } of truths.flatMap(({ positions }) => positions)) {
    net.set(symbol, (net.get(symbol) ?? 0) + lots(position))
  }
  for (const [symbol, sum] of net) if (sum !== 0) faults.push(`positions of ${symbol} sum to ${sum / 1e8}`)
  return faults
}

function filledOf(trades: ReadonlyArray<TradeRow>): ReadonlyMap<string, number> {
  const filled = new Map<string, number>()
  for (const { order_id, quantity } of trades) filled.set(order_id, (filled.get(order_id) ?? 0) + lots(quantity))
  return filled
}

const signed = ({ quantity, side }: TradeRow): number => (side === "BUY" ? lots(quantity) : -lots(quantity))
