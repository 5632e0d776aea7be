/** A month of three markets and their traders as journal rows. */
import { traderStream } from "@venue/domain/Trader"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Month from "../../ledger/Month.ts"
import { play } from "../../ledger/MonthPlay.ts"

export interface WrittenRow {
  readonly stream: string
  readonly seq: number
  readonly epoch: number
  readonly events: Uint8Array
}

/** Returns the rows of each stream. The first row of a stream is its claim. */
export const rows = (seed: number): ReadonlyArray<ReadonlyArray<WrittenRow>> => {
  const month = Month.make(seed)
  play(month, () => {})
  return [
    ...month.markets.map(({ log, symbol }) => streamOf(`market/${symbol}`, log, MarketRecord.encode)),
    ...Array.from(month.traders, ([userId, { journal }]) =>
      streamOf(traderStream(userId), journal, TraderRecord.encode)
    )
  ]
}

export const insert = (sql: SqlClient.SqlClient, written: ReadonlyArray<WrittenRow>) =>
  Effect.asVoid(
    sql.unsafe(
      `insert into journal (stream, seq, epoch, events)
       select * from unnest($1::text[], $2::bigint[], $3::integer[], $4::bytea[])`,
      [
        written.map(({ stream }) => stream),
        written.map(({ seq }) => BigInt(seq)),
        written.map(({ epoch }) => epoch),
        written.map(({ events }) => events)
      ]
    )
  )

const eventsInRow = 3

const streamOf = <Event>(
  stream: string,
  events: ReadonlyArray<Event>,
  encode: (events: ReadonlyArray<Event>) => Uint8Array
): ReadonlyArray<WrittenRow> => [
  { stream, seq: 1, epoch: 1, events: new Uint8Array(0) },
  ...Array.from({ length: Math.ceil(events.length / eventsInRow) }, (_, row) => ({
    stream,
    seq: row + 2,
    epoch: 1,
    // Encoders reuse their buffer.
    events: encode(events.slice(row * eventsInRow, (row + 1) * eventsInRow)).slice()
  }))
]
