/** An account's figures in snapshots and desk reports, each as of a journal row. */
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
import * as MarketFold from "../auditor/MarketFold.ts"
import * as SavedStates from "../auditor/SavedStates.ts"
import * as TraderFold from "../auditor/TraderFold.ts"
import type { Comparison } from "./Lines.ts"

type Numbers = ReadonlyArray<number | bigint>

const positionText = (figures: Numbers): string => MarketFold.positionText(figures.map(Number))
const ownText = ([deposit, referralRewards]: Numbers): string => TraderFold.ownText([deposit, referralRewards])

/** Figures as of the row `seq` of a stream. */
export interface Claim {
  readonly seq: number
  /** Compares the figures with those from the journal. */
  readonly compare: (journal: Numbers) => Comparison
}

export interface Claims {
  /** Returns the claims about a stream. */
  readonly of: (stream: string) => ReadonlyArray<Claim>
}

export const read = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  reading: Reading.Reading,
  userId: UserId,
  accountId: AccountId
): Effect.fn.Return<Claims, SqlError> {
  const claims = new Map<string, Array<Claim>>()
  const add = (stream: string, seq: number, source: string, figures: Numbers) => {
    const textOf = symbolOf(stream) === undefined ? ownText : positionText
    const what = `${source} as of row ${seq} of ${stream}`
    const compare = (journal: Numbers): Comparison => {
      const agrees = figures.every((value, place) => String(value) === String(journal[place]))
      return agrees
        ? { what }
        : { what, difference: `${what} has ${textOf(figures)}; the journal has ${textOf(journal)} ${MarketFold.unit}` }
    }
    claims.set(stream, [...(claims.get(stream) ?? []), { seq, compare }])
  }
  for (const { seq, stream } of yield* reading.snapshots) {
    const isMarket = symbolOf(stream) !== undefined
    if (!isMarket && stream !== traderStream(userId)) continue
    const state = yield* reading.saved(stream, seq, isMarket)
    const figures = isMarket ? SavedStates.positionIn(state, accountId) : SavedStates.ownIn(state, accountId)
    if (figures !== undefined) add(stream, seq, "the snapshot", figures)
  }
  for (const { desk, report } of yield* reportsOf(sql, userId)) {
    const account = report.accounts.find((candidate) => candidate.accountId === accountId)
    if (account === undefined) continue
    const source = `desk ${desk}`
    add(traderStream(userId), report.seq, source, [BigInt(account.deposit), BigInt(account.referralRewards)])
    for (const [symbol, ...held] of account.positions) {
      const seq = report.markets.find(([name]) => name === symbol)![1]
      add(marketStream(symbol as Parameters<typeof marketStream>[0]), seq, source, held)
    }
  }
  return { of: (stream) => claims.get(stream) ?? [] }
})

const isReport = Schema.is(TraderReport)

/** Returns each desk's last report about the user. Desks report after some audits. */
const reportsOf = (sql: SqlClient.SqlClient, userId: UserId) =>
  Effect.map(
    sql<{ readonly desk: string; readonly report: unknown }>`
      select desk, trader as report from desk_report cross join lateral jsonb_array_elements(traders) as trader
      where trader->>'userId' = ${userId}`,
    (rows) => rows.flatMap(({ desk, report }) => (isReport(report) ? [{ desk, report }] : []))
  )
