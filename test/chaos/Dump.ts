/** Reads database rows as lines of the history. */
import type { DatabaseServer } from "./DatabaseServer.ts"
import { now } from "./History.ts"
import type { EpochRow, Row, StreamsLine, TableLine } from "./HistoryLine.ts"

type Queried = Pick<DatabaseServer, "query">

export const streams = async ({ query }: Queried): Promise<StreamsLine> => {
  const rows = await query<Record<keyof EpochRow, string>>(
    `select stream, epoch::text, min(seq)::text as first, max(seq)::text as last, count(*)::text as count
     from journal group by stream, epoch order by stream, epoch`
  )
  const numbers = rows.map(({ count, epoch, first, last, stream }) => ({
    stream,
    epoch: Number(epoch),
    first: Number(first),
    last: Number(last),
    count: Number(count)
  }))
  return { kind: "streams", at: now(), rows: numbers }
}

const columns = {
  trade:
    "trade_id, order_id, client_order_id, account_id, symbol, side, origin, quantity, price, fee, realised, at_millis",
  ended_order:
    "order_id, client_order_id, account_id, symbol, status, order_type, time_in_force, price, quantity, reduce_only, ended_at_millis",
  ledger_entry: "stream, account, transaction_id, kind, asset, amount",
  twap: "twap_id, account_id, symbol, start_at_millis, ended_at_millis, interval_millis, total_quantity, filled_quantity, slices"
}

export const tables = ({ query }: Queried): Promise<ReadonlyArray<TableLine>> =>
  Promise.all(
    (Object.keys(columns) as ReadonlyArray<keyof typeof columns>).map(async (table) => ({
      kind: "table" as const,
      at: now(),
      table,
      rows: await query<Row>(`select ${columns[table]} from ${table}`)
    }))
  )

/**
 * Returns, for each projection position, the seq of its stream's last journal row with events. A row without events
 * only claims the stream, so the projection need not reach it.
 */
export const heads = async ({ query }: Queried): Promise<ReadonlyMap<string, number>> => {
  const rows = await query<{ position: string; head: string }>(
    `select position, (select max(seq) from journal where octet_length(events) > 0 and stream = substring(position from position(':' in position) + 1))::text
       as head from projection`
  )
  return new Map(rows.map(({ head, position }) => [position, Number(head)]))
}

export const positions = async ({ query }: Queried): Promise<ReadonlyMap<string, number>> => {
  const rows = await query<{ position: string; seq: string }>("select position, seq::text from projection")
  return new Map(rows.map(({ position, seq }) => [position, Number(seq)]))
}

/** Returns a number that grows with every trade, ended order and TWAP. */
export const activity = async ({ query }: Queried): Promise<number> => {
  const [row] = await query<{ count: string }>(
    "select (select count(*) from trade) + (select count(*) from ended_order) + (select count(*) from twap) as count"
  )
  return Number(row?.count)
}
