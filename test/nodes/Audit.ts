/** Holds what the venue shows against what it had told, and names each thing that is missing, doubled or does not add up. */
import { type Heard, type HeardOrder, lots, money, orderOf } from "./Heard.ts"
import type { OrderRow, TradeRow } from "./TradeSocket.ts"
import type { Truth } from "./Truth.ts"

export interface Account {
  readonly heard: Heard
  readonly truth: Truth
}

/** What each trader of the dev app begins with. */
const deposit = 100_000

export const faults = (accounts: ReadonlyArray<Account>): ReadonlyArray<string> => [
  ...accounts.flatMap(({ heard, truth }) =>
    [...heard.faults, ...ordersOf(heard, truth), ...tradesOf(heard, truth), ...sumsOf(truth)].map(
      (fault) => `${heard.user.name}: ${fault}`
    )
  ),
  ...together(accounts.map(({ truth }) => truth))
]

/** What was read counts as told from now on, and nobody waits for an answer any more. */
export const accept = ({ heard, truth }: Account): void => {
  for (const row of truth.open) heard.orders.set(row.order_id, orderOf(row))
  for (const trade of truth.trades) heard.fills.set(trade.trade_id, trade)
  const open = new Set(truth.open.map(({ order_id }) => order_id))
  const filled = filledOf(truth.trades)
  for (const order of heard.orders.values()) {
    if (!open.has(order.orderId)) order.end ??= { status: "GONE", filled: filled.get(order.orderId) ?? 0 }
  }
  heard.unanswered.adds.clear()
  heard.unanswered.cancels.clear()
  heard.unanswered.modifications.clear()
}

function ordersOf(heard: Heard, truth: Truth): ReadonlyArray<string> {
  const open = new Map(truth.open.map((row) => [row.order_id, row]))
  const filled = filledOf(truth.trades)
  const found: Array<string> = []
  if (open.size !== truth.open.length) found.push("an open order is listed twice")
  for (const order of heard.orders.values()) {
    const fault = orderFault(heard, order, open.get(order.orderId), filled.get(order.orderId) ?? 0)
    if (fault !== undefined) found.push(`order ${order.orderId} (${order.clientOrderId}) ${fault}`)
  }
  for (const row of truth.open) {
    const sum = filled.get(row.order_id) ?? 0
    if (lots(row.quantity_remaining) !== lots(row.quantity) - sum) {
      found.push(
        `open order ${row.order_id} has ${row.quantity_remaining} of ${row.quantity} left, trades say ${sum / 1e8}`
      )
    }
  }
  return [...found, ...identities(heard, truth)]
}

function orderFault(heard: Heard, order: HeardOrder, row: OrderRow | undefined, filled: number): string | undefined {
  const { clientOrderId, end, orderId } = order
  const { cancels, modifications } = heard.unanswered
  const perhaps = modifications.get(orderId)
  const type = heard.sent.get(clientOrderId)?.order_type
  if (end !== undefined) {
    if (row !== undefined) return `was told ${end.status} and is open`
    if (end.filled !== filled)
      return `was told ${end.status} with ${end.filled / 1e8} filled, trades say ${filled / 1e8}`
    return undefined
  }
  if (filled > Math.max(lots(order.quantity), lots(perhaps?.quantity ?? 0))) return `has more trades than its quantity`
  if (type === "MARKET") return row === undefined ? undefined : "is a market order and is open"
  if (row !== undefined) {
    const possible = perhaps === undefined ? [order] : [order, perhaps]
    const fits = possible.some(({ price, quantity }) => price === row.price && quantity === row.quantity)
    if (!fits) return `was told ${order.quantity} at ${order.price} and is ${row.quantity} at ${row.price}`
    return row.side === order.side && row.client_order_id === clientOrderId ? undefined : "is another order now"
  }
  if (filled === lots(order.quantity) || (perhaps !== undefined && filled === lots(perhaps.quantity))) return undefined
  if (cancels.has(orderId) || mayHaveMetItself(heard, order)) return undefined
  return `was acknowledged, has ${filled / 1e8} of ${order.quantity} filled, and is gone`
}

/** An order whose fate is not known may have met it, which cancels the one that rests. */
function mayHaveMetItself({ unanswered }: Heard, order: HeardOrder): boolean {
  return [...unanswered.adds.values()].some((other) => {
    if (other.symbol !== order.symbol || other.side === order.side) return false
    if (other.order_type === "MARKET") return true
    return other.side === "BUY" ? other.price >= order.price : other.price <= order.price
  })
}

/** Each order that was sent once exists once at most, one refused not at all, and none that nobody sent. */
function identities(heard: Heard, { open, trades }: Truth): ReadonlyArray<string> {
  const orderIds = new Map<string, Set<string>>()
  const rows = [...open, ...trades].map((row) => ({ clientOrderId: row.client_order_id, orderId: row.order_id }))
  for (const { clientOrderId, orderId } of [...rows, ...heard.orders.values()]) {
    orderIds.set(clientOrderId, (orderIds.get(clientOrderId) ?? new Set()).add(orderId))
  }
  return [...orderIds].flatMap(([clientOrderId, ids]) => {
    if (!heard.sent.has(clientOrderId)) return [`nobody sent ${clientOrderId}`]
    if (heard.refused.has(clientOrderId)) return [`${clientOrderId} was refused and exists as ${[...ids].join()}`]
    return ids.size > 1 ? [`${clientOrderId} was sent once and became ${[...ids].join(" and ")}`] : []
  })
}

function tradesOf(heard: Heard, { trades }: Truth): ReadonlyArray<string> {
  const found: Array<string> = []
  const byId = new Map(trades.map((trade) => [trade.trade_id, trade]))
  if (byId.size !== trades.length) found.push(`${trades.length - byId.size} trade ids are listed twice`)
  for (const fill of heard.fills.values()) {
    const trade = byId.get(fill.trade_id)
    if (trade === undefined) {
      found.push(`fill ${fill.trade_id} of order ${fill.order_id} was told and is no trade`)
    } else if (columnsOf(trade) !== columnsOf(fill)) {
      found.push(`fill ${fill.trade_id} was told as ${columnsOf(fill)} and is ${columnsOf(trade)}`)
    }
  }
  for (const [tradeId, orderId] of heard.filled) {
    if (byId.get(tradeId)?.order_id !== orderId) found.push(`FILLED ${tradeId} of order ${orderId} is no trade of it`)
  }
  return found
}

const columnsOf = (row: TradeRow): string =>
  [row.order_id, row.client_order_id, row.symbol, row.side, row.price, row.quantity, row.fee, row.realised_pnl].join(
    " "
  )

/** Positions and the parts of the balance are sums of the trades. */
function sumsOf({ balance, positions, trades }: Truth): ReadonlyArray<string> {
  const found: Array<string> = []
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
      found.push(`${symbol}: the position is ${position?.position}, its trades add up to ${sum / 1e8}`)
    }
  }
  const all = [...realised.values()].reduce((sum, part) => sum + part, 0)
  if (money(balance.realised_pnl) !== all) found.push(`realised ${balance.realised_pnl}, by trades ${all / 1e6}`)
  if (money(balance.fees) !== fees) found.push(`fees ${balance.fees}, by trades ${fees / 1e6}`)
  if (balance.deposit !== deposit) found.push(`deposit ${balance.deposit}, given ${deposit}`)
  return found
}

/** All who trade are here: every trade has its two sides, and what one is long another is short. */
function together(truths: ReadonlyArray<Truth>): ReadonlyArray<string> {
  const found: Array<string> = []
  const sides = new Map<string, Array<TradeRow>>()
  for (const trade of truths.flatMap(({ trades }) => trades)) {
    sides.set(trade.trade_id, [...(sides.get(trade.trade_id) ?? []), trade])
  }
  for (const [tradeId, rows] of sides) {
    const [one, other] = rows
    const agree = one?.price === other?.price && one?.quantity === other?.quantity && one?.side !== other?.side
    if (rows.length !== 2 || !agree)
      found.push(`trade ${tradeId} has ${rows.length} sides: ${rows.map(columnsOf).join(", ")}`)
  }
  const net = new Map<string, number>()
  for (const { position, symbol } of truths.flatMap(({ positions }) => positions)) {
    net.set(symbol, (net.get(symbol) ?? 0) + lots(position))
  }
  for (const [symbol, sum] of net) if (sum !== 0) found.push(`positions of ${symbol} add up to ${sum / 1e8}`)
  return found
}

function filledOf(trades: ReadonlyArray<TradeRow>): ReadonlyMap<string, number> {
  const filled = new Map<string, number>()
  for (const { order_id, quantity } of trades) filled.set(order_id, (filled.get(order_id) ?? 0) + lots(quantity))
  return filled
}

const signed = ({ quantity, side }: TradeRow): number => (side === "BUY" ? lots(quantity) : -lots(quantity))
