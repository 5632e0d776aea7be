/** Money in and out of accounts, double entry: what one event writes sums to zero in each asset. */
import type { TraderEvent } from "@venue/domain/Trader"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Bulk from "@venue/postgres/Bulk"

/** The venue's side of every credit: money it took in and owes, so below zero. */
export const fundingAccount = "venue/funding"

/** All balances are kept in it. */
export const asset = "USD"

export interface LedgerEntry {
  readonly stream: string
  readonly seq: number
  /** 0, 1, 2 … within the journal row. */
  readonly place: number
  readonly transactionId: string
  readonly kind: "credit" | "transfer"
  readonly account: string
  readonly asset: typeof asset
  /** In 1e-6; signed. */
  readonly amount: bigint
  readonly reason: string
  readonly atMillis: number
}

export interface AssetSum {
  readonly asset: string
  readonly sum: bigint
}

export const entriesOf = (
  stream: string,
  seq: number,
  events: ReadonlyArray<TraderEvent>
): ReadonlyArray<LedgerEntry> => {
  const entries: Array<LedgerEntry> = []
  const move = (about: About, from: string, to: string, amount: bigint) => {
    const where = { ...about, stream, seq, asset } as const
    entries.push({ ...where, place: entries.length, account: to, amount })
    entries.push({ ...where, place: entries.length, account: from, amount: -amount })
  }
  for (const event of events) {
    if (event._tag === "Credited") {
      const { accountId, amount, atMillis, creditId: transactionId, reason } = event
      move({ transactionId, kind: "credit", reason, atMillis }, fundingAccount, accountId, amount)
    } else if (event._tag === "Transferred") {
      const { amount, atMillis, fromAccountId, toAccountId, transferId: transactionId } = event
      move({ transactionId, kind: "transfer", reason: "", atMillis }, fromAccountId, toAccountId, amount)
    }
  }
  return entries
}

type About = Pick<LedgerEntry, "transactionId" | "kind" | "reason" | "atMillis">

const columns: ReadonlyArray<Bulk.Column<LedgerEntry>> = [
  { name: "stream", type: "text", of: (row) => row.stream },
  { name: "seq", type: "bigint", of: (row) => row.seq },
  { name: "place", type: "integer", of: (row) => row.place },
  { name: "transaction_id", type: "text", of: (row) => row.transactionId },
  { name: "kind", type: "text", of: (row) => row.kind },
  { name: "account", type: "text", of: (row) => row.account },
  { name: "asset", type: "text", of: (row) => row.asset },
  { name: "amount", type: "numeric", of: (row) => row.amount },
  { name: "reason", type: "text", of: (row) => row.reason },
  { name: "at_millis", type: "bigint", of: (row) => row.atMillis }
]

export const batch = (entries: ReadonlyArray<LedgerEntry>) => Bulk.batch("ledger_entry", columns, entries)

export const sumByAsset = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly asset: string; readonly sum: string }>`
      select asset, sum(amount)::text as sum from ledger_entry group by asset order by asset`,
    (rows) => rows.map(({ asset, sum }): AssetSum => ({ asset, sum: BigInt(sum) }))
  )

export const balance = (sql: SqlClient.SqlClient, account: string) =>
  Effect.map(
    sql<{ readonly sum: string }>`
      select coalesce(sum(amount), 0)::text as sum from ledger_entry
      where account = ${Bulk.storable(account)} and asset = ${asset}`,
    ([row]) => BigInt(row!.sum)
  )
