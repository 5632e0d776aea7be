/** What saved states and desks say that an account has, each as of a row of the journal. */
import type { AccountId } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { TraderReport } from "@venue/storage/audit/DeskReports"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { symbolOf } from "../auditor/Books.ts"
import type * as Reading from "../auditor/Reading.ts"
import * as SavedStates from "../auditor/SavedStates.ts"
import type { Found } from "./Lines.ts"

type Numbers = ReadonlyArray<number | bigint>

export interface Claim {
  readonly seq: number
  readonly heldAgainst: (journal: Numbers) => Found
}

export interface Claims {
  /** Those about that stream. */
  readonly of: (stream: string) => ReadonlyArray<Claim>
}

export const read = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  reading: Reading.Reading,
  userId: UserId,
  accountId: AccountId
): Effect.fn.Return<Claims, SqlError> {
  const claims = new Map<string, Array<Claim>>()
  const add = (stream: string, seq: number, who: string, says: Numbers) => {
    const what = `${who}, of row ${seq} of ${stream}`
    const heldAgainst = (journal: Numbers): Found => {
      const isSo = says.every((value, place) => String(value) === String(journal[place]))
      return isSo
        ? { what }
        : { what, difference: `${what}: ${says.join(" ")}, and the journal says ${journal.join(" ")}` }
    }
    claims.set(stream, [...(claims.get(stream) ?? []), { seq, heldAgainst }])
  }
  for (const { seq, stream } of yield* reading.snapshots) {
    const isMarket = symbolOf(stream) !== undefined
    if (!isMarket && stream !== traderStream(userId)) continue
    const state = yield* reading.saved(stream, seq, isMarket)
    const says = isMarket ? SavedStates.positionIn(state, accountId) : SavedStates.ownIn(state, accountId)
    if (says !== undefined) add(stream, seq, "the saved state", says)
  }
  for (const { desk, report } of yield* reportsOf(sql, userId)) {
    const account = report.accounts.find((one) => one.accountId === accountId)
    if (account === undefined) continue
    const who = `desk ${desk}`
    add(traderStream(userId), report.seq, who, [BigInt(account.deposit), BigInt(account.referralRewards)])
    for (const [symbol, ...held] of account.positions) {
      const seq = report.markets.find(([name]) => name === symbol)![1]
      add(marketStream(symbol as Parameters<typeof marketStream>[0]), seq, who, held)
    }
  }
  return { of: (stream) => claims.get(stream) ?? [] }
})

const isReport = Schema.is(TraderReport)

/** What desks said last of the accounts of that user; they say it after some audits. */
const reportsOf = (sql: SqlClient.SqlClient, userId: UserId) =>
  Effect.map(
    sql<{ readonly desk: string; readonly report: unknown }>`
      select desk, trader as report from desk_report cross join lateral jsonb_array_elements(traders) as trader
      where trader->>'userId' = ${userId}`,
    (rows) => rows.flatMap(({ desk, report }) => (isReport(report) ? [{ desk, report }] : []))
  )
