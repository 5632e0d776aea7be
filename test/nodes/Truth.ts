/** An account's state as a new connection reads it. */
import type { User } from "./DevApp.ts"
import * as TradeSocket from "./TradeSocket.ts"

export interface Truth {
  readonly open: ReadonlyArray<TradeSocket.OrderRow>
  readonly trades: ReadonlyArray<TradeSocket.TradeRow>
  readonly positions: ReadonlyArray<TradeSocket.PositionRow>
  readonly balance: TradeSocket.BalanceRow
}

export const read = async (url: string, user: User): Promise<Truth> => {
  const positions = new Map<string, TradeSocket.PositionRow>()
  const socket = await TradeSocket.open(url, user, ({ position_response: row }) => {
    if (row !== undefined) positions.set(row.symbol, row)
  })
  // The balance is the last frame of a periodic update, after the positions.
  const balance = socket.next((frame) => frame.balance_response)
  await TradeSocket.subscribe(socket, ["positions", "balances"])
  const truth = {
    balance: await balance,
    open: await pages(socket, "get_user_orders", (frame) => frame.all_orders_response?.orders),
    trades: await pages(socket, "get_user_trades", (frame) => frame.user_trades_response),
    positions: [...positions.values()]
  }
  await socket.close()
  return truth
}

async function pages<A>(
  socket: TradeSocket.TradeSocket,
  type: string,
  pick: (frame: TradeSocket.Frame) => ReadonlyArray<A> | undefined
): Promise<ReadonlyArray<A>> {
  const rows: Array<A> = []
  while (true) {
    const page = await TradeSocket.insist(socket, type, () => ({ limit: pageSize, offset: rows.length }), pick)
    rows.push(...page)
    if (page.length < pageSize) return rows
  }
}

const pageSize = 1_000
