/** Lines about an account's deposits, withdrawals and transfers from its user's journal, compared with the ledger. */
import type { AccountId } from "@venue/domain/AccountId"
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Entries from "../auditor/Entries.ts"
import type * as Reading from "../auditor/Reading.ts"
import * as TraderFold from "../auditor/TraderFold.ts"
import * as Versions from "../auditor/Versions.ts"
import type { Claim } from "./Claims.ts"
import * as Lines from "./Lines.ts"

export const make = (
  sql: SqlClient.SqlClient,
  reading: Reading.Reading,
  userId: UserId,
  accountId: AccountId,
  claims: ReadonlyArray<Claim>
): Lines.Lines => {
  const stream = traderStream(userId)
  const fold = TraderFold.make(userId)
  const comparisons: Array<Lines.Comparison> = []
  /** Balance of the projected ledger rows, in 1e-6 USD. */
  let [own, isLedgerWrong] = [0n, false]

  const differs = (difference: string) => {
    isLedgerWrong = true
    if (comparisons.length < mostDifferences)
      comparisons.push({ what: "the ledger", difference: `the ledger: ${difference}` })
  }
  /** Compares these rows with the ledger's entries and, after the last row, the account's balance with the ledger's. */
  const compare = Effect.fnUntraced(function* (due: ReadonlyArray<Entries.ExpectedEntries>, isLast: boolean) {
    if (due.length > 0) {
      const range = { name: stream, first: due[0]!.seq, last: due.at(-1)!.seq }
      const fault = Entries.faultOf(due, (yield* reading.entries([range])).get(stream) ?? [])
      if (fault !== undefined) differs(fault)
    }
    if (!isLast) return
    const balance = yield* LedgerEntries.balance(accountId).sql(sql)
    if (balance !== own) differs(`the entries for the account sum to ${balance}; the journal has ${own} (in 1e-6 USD)`)
  })
  const next = Lines.make(
    reading,
    stream,
    Effect.fnUntraced(function* (rows, isLast) {
      const position = `ledger:${stream}`
      const upTo = (yield* reading.projected([position])).get(position) ?? 0
      const lines: Array<Lines.Line> = []
      const due: Array<Entries.ExpectedEntries> = []
      for (const { events, seq } of rows) {
        const moves = new Map<string, bigint>()
        for (const event of events.length === 0 ? [] : TraderRecord.decode(events)) {
          TraderFold.take(fold, [event], seq, (account, amount) => {
            moves.set(account, (moves.get(account) ?? 0n) + amount)
            if (account !== accountId) return
            if (seq <= upTo) own += amount
            const { _tag: kind } = event
            const atMillis = "atMillis" in event ? event.atMillis : 0
            lines.push({ atMillis, stream, seq, kind, amount, what: kind })
          })
        }
        if (moves.size > 0 && seq <= upTo) due.push({ seq, moves })
        for (const claim of claims) {
          if (claim.seq === seq) comparisons.push(claim.compare(TraderFold.asOf(fold, accountId, seq)))
        }
        Versions.forget(fold.accounts, seq)
      }
      yield* compare(due, isLast)
      return lines
    })
  )
  return {
    next,
    comparisons: () => (isLedgerWrong ? comparisons : [...comparisons, { what: `the entries of ${stream}` }])
  }
}

const mostDifferences = 20
