/**
 * Why an account has what it has: everything that the journal says of it, in the order of time, added up. Rows are read and told
 * one page after the other, so that no history is too long.
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
import * as Reading from "../auditor/Reading.ts"
import * as Claims from "./Claims.ts"
import * as MarketLines from "./MarketLines.ts"
import type { Line, Lines } from "./Lines.ts"
import * as OwnLines from "./OwnLines.ts"

export interface Asked {
  readonly accountId: AccountId
  /** One contract alone, and nothing of the account's own money. */
  readonly symbol: string | undefined
  /** What was earlier is added up and not told line by line. */
  readonly sinceMillis: number
}

/** A line, and what the account has once it is counted. */
export interface Told extends Line {
  readonly balance: bigint
}

export interface Explanation {
  readonly userId: UserId
  readonly before: bigint
  readonly balance: bigint
  readonly totals: ReadonlyMap<string, bigint>
  /** What the tables, saved states and desks say otherwise than the journal. */
  readonly differences: ReadonlyArray<string>
  /** So many of them said what the journal says. */
  readonly agreeing: ReadonlyArray<string>
}

/** The venue has nothing of that name. */
export class Unknown extends Schema.TaggedError<Unknown>()("Unknown", { what: Schema.String }) {
  override get message() {
    return `the venue has no ${this.what}`
  }
}

/** All of it is of one moment of the database, and changes nothing there. */
export const of = <E, R>(
  sql: SqlClient.SqlClient,
  { accountId, sinceMillis, symbol }: Asked,
  tell: (line: Told) => Effect.Effect<void, E, R>
): Effect.Effect<Explanation, E | SqlError | Unknown, R> =>
  sql.withTransaction(
    Effect.gen(function* () {
      const reading = Reading.make(sql)
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
        else yield* tell({ ...first.line!, balance })
        first.line = yield* first.source.next
      }
      const found = sources.flatMap(({ found }) => found())
      return {
        userId,
        before,
        balance,
        totals,
        differences: found.flatMap(({ difference }) => difference ?? []),
        agreeing: found.flatMap(({ difference, what }) => (difference === undefined ? [what] : []))
      } satisfies Explanation as Explanation
    })
  )

/** A primary account has the id of its user; everybody who ever had money has a journal. */
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
