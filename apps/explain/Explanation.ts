/**
 * Explains an account's balance: every change in the journal, ordered by time and added up. Rows are read in pages,
 * which bounds memory for any length of history.
 */
import type { AccountId } from "@venue/domain/AccountId"
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import { marketStream } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { listed } from "@venue/storage/listing/Listings"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as ArchivedReading from "../auditor/ArchivedReading.ts"
import * as Claims from "./Claims.ts"
import * as MarketLines from "./MarketLines.ts"
import type { Line, Lines } from "./Lines.ts"
import * as OwnLines from "./OwnLines.ts"

export interface Query {
  readonly accountId: AccountId
  /**
   * Limits the explanation to one market, without deposits, withdrawals and transfers. Undefined for all markets and
   * transfers.
   */
  readonly symbol: string | undefined
  /** Start of the lines. Earlier changes count in `before` only. */
  readonly sinceMillis: number
}

/** Line with the balance after it, in 1e-6 USD. */
export interface BalanceLine extends Line {
  readonly balance: bigint
}

/** Amounts are in 1e-6 USD. */

export interface Explanation {
  readonly userId: UserId
  /** Balance before the first line. */
  readonly before: bigint
  readonly balance: bigint
  /** Sum of the changes of each kind. */
  readonly totals: ReadonlyMap<string, bigint>
  /** Differences between the journal and the tables, snapshots and desk reports. */
  readonly differences: ReadonlyArray<string>
  /** Tables, snapshots and desk reports that agree with the journal. */
  readonly agreeing: ReadonlyArray<string>
}

/** The venue has no such account or contract. */
export class Unknown extends Schema.TaggedError<Unknown>()("Unknown", { what: Schema.String }) {
  override get message() {
    return `the venue has no ${this.what}`
  }
}

/** Explains an account from one read-only snapshot of the database. `print` receives each line. */
export const of = <E, R>(
  sql: SqlClient.SqlClient,
  { accountId, sinceMillis, symbol }: Query,
  print: (line: BalanceLine) => Effect.Effect<void, E, R>
): Effect.Effect<Explanation, E | SqlError | Unknown, R> =>
  sql.withTransaction(
    Effect.gen(function* (): Effect.fn.Return<Explanation, E | SqlError | Unknown, R> {
      const reading = yield* ArchivedReading.make(sql)
      yield* reading.begin
      const userId = yield* ownerOf(sql, accountId)
      const listings: ReadonlyArray<Instrument> = [...initialInstruments, ...(yield* listed(sql))]
      const instruments = listings.filter((instrument) => symbol === undefined || instrument.symbol === symbol)
      if (instruments.length === 0)
        return yield* new Unknown({
          what: `contract ${symbol}; it has ${listings.map((instrument) => instrument.symbol).join(", ")}`
        })
      const claims = yield* Claims.read(sql, reading, userId, accountId)
      const sources: Array<Lines> = instruments.map((instrument) =>
        MarketLines.make(reading, instrument, accountId, claims.of(marketStream(instrument.symbol)))
      )
      if (symbol === undefined) {
        sources.push(OwnLines.make(sql, reading, userId, accountId, claims.of(traderStream(userId))))
      }
      let [before, balance] = [0n, 0n]
      const totals = new Map<string, bigint>()
      const heads = yield* Effect.forEach(sources, (source) => Effect.map(source.next, (line) => ({ source, line })))
      for (;;) {
        const [first] = heads
          .filter(({ line }) => line !== undefined)
          .toSorted((a, b) => a.line!.atMillis - b.line!.atMillis)
        if (first === undefined) break
        const { amount, atMillis, kind } = first.line!
        balance += amount
        totals.set(kind, (totals.get(kind) ?? 0n) + amount)
        if (atMillis < sinceMillis) before = balance
        else yield* print({ ...first.line!, balance })
        first.line = yield* first.source.next
      }
      const compared = sources.flatMap(({ comparisons }) => comparisons())
      return {
        userId,
        before,
        balance,
        totals,
        differences: compared.flatMap(({ difference }) => difference ?? []),
        agreeing: compared.flatMap(({ difference, what }) => (difference === undefined ? [what] : []))
      }
    })
  )

/**
 * Returns an account's owner. A primary account has no row in `account`; its id is the user's id, and the user has a
 * journal.
 */
const ownerOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  accountId: AccountId
): Effect.fn.Return<UserId, SqlError | Unknown> {
  const [owner] = yield* sql<{ readonly userId: string }>`
    select user_id as "userId" from account where account_id = ${accountId}
    union all
    select ${accountId}::text where exists (select 1 from journal where stream = ${traderStream(UserId.make(accountId))})
    limit 1`
  return owner === undefined ? yield* new Unknown({ what: `account ${accountId}` }) : UserId.make(owner.userId)
})
