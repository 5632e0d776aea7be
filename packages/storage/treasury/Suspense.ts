/**
 * Ledger entries for bank deposits without an owner. The statement that first stores a deposit moves its amount to
 * the suspense account; the change that assigns or drops it moves the amount out again. Each movement happens once.
 */
import { externalAccount, type Move, ofStream, suspenseAccount, written } from "../history/LedgerEntries.ts"
import type { Memory, TableWrite } from "../history/ReadTable.ts"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Deposit } from "./DepositTable.ts"

export const isSuspended = ({ rail, userId }: Pick<Deposit, "rail" | "userId">): boolean =>
  rail === "BANK" && userId === null

const streamOf = (depositId: string): string => `${prefix}${depositId}`
const prefix = "suspense/"

export const held = ({ amount, depositId }: Pick<Deposit, "amount" | "depositId">, atMillis: number): TableWrite =>
  written([{ ...toSuspense, transactionId: streamOf(depositId), amount, atMillis }], streamOf(depositId), 1)

const toSuspense: Omit<Move, "transactionId" | "amount" | "atMillis"> = {
  kind: "suspense",
  from: externalAccount("BANK"),
  to: suspenseAccount,
  reason: ""
}

/** Returns the common table expression that reverses the suspense entries of the deposits in the expression `moved`. */
export const released = (sql: SqlClient.SqlClient, atMillis: number): Fragment => sql`
  released as (
    insert into ledger_entry (stream, seq, place, transaction_id, kind, account, asset, amount, reason, at_millis)
    select e.stream, 2, e.place, e.transaction_id || '/release', 'suspense-release', e.account, e.asset, -e.amount, '',
      ${BigInt(atMillis)}::bigint
    from moved m join ledger_entry e on e.stream = ${prefix} || m.deposit_id and e.seq = 1
    where not exists (select from ledger_entry r where r.stream = e.stream and r.seq = 2)
  )`

export const releaseIn = (memory: Memory, { amount, depositId }: Deposit, atMillis: number): void => {
  const stream = streamOf(depositId)
  const seqs = new Set(ofStream(memory, stream).map(({ seq }) => seq))
  if (!seqs.has(1) || seqs.has(2)) return
  const { from, to } = toSuspense
  const undone = { from: to, to: from, kind: "suspense-release", reason: "" } as const
  const about = { transactionId: `${stream}/release`, amount, atMillis }
  written([{ ...undone, ...about }], stream, 2).remember(memory)
}
