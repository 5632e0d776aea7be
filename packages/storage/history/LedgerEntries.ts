/** The ledger is kept in double entry: what one event writes sums to zero in each asset. */
import { AccountId } from "@venue/domain/AccountId"
import { type TraderEvent, traderStream } from "@venue/domain/Trader"
import { Effect, Schema } from "effect"
import { bigint, integer, numeric, of, storable, text } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import type { TraderProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"

/** This account is the venue's side of every credit; its balance is below zero, since the venue has what it took in. */
export const fundingAccount = AccountId.make("venue/funding")

/** All balances are kept in it. */
const asset = "USD"

const ledgerEntryTable = Table.make("ledger_entry", {
  stream: text,
  seq: bigint,
  /** It counts from 0 within the journal row. */
  place: integer,
  transactionId: text,
  kind: of("text", Schema.Literals(["credit", "transfer"])),
  account: text,
  asset: of("text", Schema.Literal(asset)),
  /** It counts 1e-6 USD and has a sign. */
  amount: numeric,
  reason: text,
  atMillis: bigint
})
type LedgerEntry = Table.Row<typeof ledgerEntryTable>

const entries = ReadTable.make(ledgerEntryTable, { key: ({ place, seq, stream }) => `${stream} ${seq} ${place}` })

export const projection: TraderProjection = {
  group: "ledger",
  stream: traderStream,
  writes: (userId, rows) => [
    entries.write(rows.flatMap(({ events, seq }) => entriesOf(traderStream(userId), seq, events)))
  ]
}

const entriesOf = (stream: string, seq: number, events: ReadonlyArray<TraderEvent>): ReadonlyArray<LedgerEntry> => {
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

const sum = { schema: numeric.schema, expression: "coalesce(sum(amount), 0)::text" }
const balances = Table.selection({ sum })
const sums = Table.selection({ asset: { schema: Schema.String, expression: "asset" }, sum })
export type AssetSum = Table.Row<typeof sums>

/** The sum is zero in every asset, always. */
export const sumByAsset: ReadTable.ReadQuery<ReadonlyArray<AssetSum>> = {
  sql: (sql) => sums.all(sql`select ${sums.columns} from ledger_entry group by asset order by asset`),
  memory: (memory) => {
    const rows = entries.rowsIn(memory)
    return rows.length === 0 ? [] : [{ asset, sum: sumOf(rows) }]
  }
}

/** Tells what the entries of one account sum to. */
export const balance = (account: AccountId): ReadTable.ReadQuery<bigint> => ({
  sql: (sql) =>
    Effect.map(
      balances.all(sql`
        select ${balances.columns} from ledger_entry where account = ${storable(account)} and asset = ${asset}`),
      ([balance]) => balance!.sum
    ),
  memory: (memory) => sumOf(entries.rowsIn(memory).filter((entry) => entry.account === account))
})

const sumOf = (rows: ReadonlyArray<LedgerEntry>): bigint => rows.reduce((total, { amount }) => total + amount, 0n)
