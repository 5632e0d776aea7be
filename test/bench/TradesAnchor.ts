/**
 * Minimum cost of `GET /user/trade?limit=100`: a bare `node:http` server that runs the same statement through plain
 * `pg` for each request and writes the same bytes, without authentication. Run it as `TradesAnchor.ts <database url>
 * <account> <base url>`.
 */
import { initialInstruments } from "@venue/domain/Instrument"
import { createServer, type ServerResponse } from "node:http"
import { connect, type PostgresClient } from "./Database.ts"

interface Row {
  readonly symbol: string
  readonly side: string
  readonly tradeId: string
  readonly orderId: string
  readonly price: number
  readonly quantity: number
  readonly fee: number
  readonly realised: number
  readonly marginUsed: number
  readonly orderType: string
  readonly timeInForce: string
  readonly origin: string
  readonly liquidation: string
  readonly executionType: string
  readonly atMillis: number
}

const [databaseUrl = "", accountId = "", baseUrl = ""] = process.argv.slice(2)
const counts = [
  "number",
  "price",
  "quantity",
  "order_price",
  "remaining",
  "fee",
  "realised",
  "margin_used",
  "at_millis"
]
const texts = [
  "symbol",
  "side",
  "aggressor_side",
  "trade_id",
  "account_id",
  "user_id",
  "order_id",
  "client_order_id",
  "order_type",
  "time_in_force",
  "origin",
  "builder_code",
  "liquidation",
  "execution_type"
]
const named = (column: string) => `"${column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())}"`
const columns = [
  ...texts.map((column) => `trade.${column} as ${named(column)}`),
  ...counts.map((column) => `trade.${column}::float8 as ${named(column)}`)
]
const text = `
  select ${columns.join(", ")} from trade where account_id = $1
  order by trade.at_millis desc, trade.symbol desc, trade.number desc limit $2 offset $3`

const steps = new Map<string, (typeof initialInstruments)[number]>(
  initialInstruments.map((instrument) => [instrument.symbol, instrument])
)
const record = (row: Row) => {
  const { lotE8, tickE8 } = steps.get(row.symbol)!
  return {
    id: row.tradeId,
    order_timestamp: row.atMillis / 1_000,
    symbol: row.symbol,
    price: (row.price * tickE8) / 1e8,
    quantity: (row.quantity * lotE8) / 1e8,
    side: row.side,
    fee: row.fee / 1e6,
    margin_used: row.marginUsed / 1e6,
    order_type: row.orderType,
    tif: row.timeInForce,
    order_id: row.orderId,
    realised_pnl_change: row.realised / 1e6,
    liquidation: row.liquidation,
    order_origin: row.origin,
    execution_type: row.executionType
  }
}

/**
 * Four connections, as many as the venue uses at once. A request that arrives while all are busy waits for the next
 * free one.
 */
const free = await Promise.all(Array.from({ length: 4 }, () => connect(databaseUrl)))
const waiting: Array<(database: PostgresClient) => void> = []

const page = async (database: PostgresClient, answer: ServerResponse): Promise<void> => {
  const { rows } = await database.query<Row>({ name: "trades", text, values: [accountId, 100, 0] })
  const next = waiting.shift()
  if (next === undefined) free.push(database)
  else next(database)
  const $schema = `${baseUrl}/schemas/TradesResponseBody.json`
  const body = JSON.stringify({ $schema, data: rows.map(record), count: rows.length })
  answer.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
  answer.end(body)
}

const server = createServer((_, answer) => {
  const database = free.pop()
  if (database === undefined) waiting.push((next) => void page(next, answer))
  else void page(database, answer)
})
server.listen(0, "127.0.0.1", () => process.send!((server.address() as { readonly port: number }).port))
process.on("disconnect", () => process.exit(0))
