/** Reads an account's state through a gateway while there is no activity. */
import { WebSocket } from "ws"
import * as FrameFaults from "../FrameFaults.ts"
import { frameFault } from "../SocketFrames.ts"
import { now } from "./History.ts"
import type { BalanceRow, FillRow, OrderRow, PositionRow, Read } from "./HistoryLine.ts"
import { type Key, signed } from "./Signing.ts"

interface Frame {
  readonly authenticated?: boolean
  readonly position_response?: PositionRow
  readonly balance_response?: BalanceRow
  readonly all_orders_response?: { readonly orders: ReadonlyArray<OrderRow> }
  readonly user_trades_response?: ReadonlyArray<FillRow>
  readonly err?: { readonly error_code: string; readonly message?: string }
}

const pageSize = 1_000
const patienceMillis = 90_000

/** Reads the account, and retries for 90 s while the gateway cannot respond. */
export const read = async (
  { name, trade }: { readonly name: string; readonly trade: string },
  account: string,
  key: Key
): Promise<Read> => {
  const until = performance.now() + patienceMillis
  while (true) {
    try {
      return await readOnce(name, trade, account, key)
    } catch (error) {
      if (performance.now() > until) throw error
      await new Promise((again) => setTimeout(again, 300))
    }
  }
}

const readOnce = (through: string, url: string, account: string, key: Key): Promise<Read> =>
  new Promise((tell, refuse) => {
    const ws = new WebSocket(url, { handshakeTimeout: 3_000 })
    const positions = new Map<string, PositionRow>()
    let balance: BalanceRow | undefined
    const open: Array<OrderRow> = []
    const trades: Array<FillRow> = []
    const send = (type: string, params: object) => ws.send(JSON.stringify({ type, params }))
    const give = (reason: string) => {
      refuse(new Error(`${through} did not show ${account}: ${reason}`))
      ws.terminate()
    }
    const patience = setTimeout(() => give("it took too long"), 15_000)
    ws.on("open", () => send("auth", { hmac: signed(key) }))
    ws.on("error", (error) => give(error.message))
    ws.on("close", () => {
      clearTimeout(patience)
      refuse(new Error(`${through} closed the connection`))
    })
    ws.on("message", (data) => {
      FrameFaults.add(frameFault("trade", String(data)))
      const frame = JSON.parse(String(data)) as Frame
      const { all_orders_response: listed, authenticated, balance_response, err, position_response } = frame
      const { user_trades_response: page } = frame
      if (err !== undefined) return give(`${err.error_code} ${err.message}`)
      if (authenticated === true) send("subscribe", { channels: ["positions", "balances"] })
      if (position_response !== undefined) positions.set(position_response.symbol, position_response)
      // The balance frame is the last frame of each periodic update.
      if (balance_response !== undefined && balance === undefined) {
        balance = balance_response
        send("get_user_orders", { limit: pageSize, offset: 0 })
      }
      if (listed !== undefined) {
        open.push(...listed.orders)
        if (listed.orders.length < pageSize) send("get_user_trades", { limit: pageSize, offset: 0 })
        else send("get_user_orders", { limit: pageSize, offset: open.length })
      }
      if (page === undefined) return
      trades.push(...page)
      if (page.length === pageSize) return send("get_user_trades", { limit: pageSize, offset: trades.length })
      tell({
        kind: "read",
        at: now(),
        account,
        through,
        open: open.map(plain),
        trades: trades.map(
          ({ client_order_id, fee, order_id, price, quantity, realised_pnl, side, symbol, trade_id }) => ({
            client_order_id,
            fee,
            order_id,
            price,
            quantity,
            realised_pnl,
            side,
            symbol,
            trade_id
          })
        ),
        positions: [...positions.values()].map(({ net_funding, position, realised_pnl, symbol }) => ({
          net_funding,
          position,
          realised_pnl,
          symbol
        })),
        balance: {
          deposit: balance!.deposit,
          fees: balance!.fees,
          realised_pnl: balance!.realised_pnl,
          net_funding: balance!.net_funding
        }
      })
      ws.terminate()
    })
  })

const plain = (row: OrderRow): OrderRow => ({ ...row })
