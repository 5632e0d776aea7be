/**
 * `npm run fill -- --trades 10000000 [--account <id>]`: writes a long trade history for one account into the database
 * at `VENUE_DATABASE_URL`, to measure the account's lists and exports. Never run it on a production database: the
 * rows have no journal entries.
 */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as DatabaseClaim from "@venue/postgres/DatabaseClaim"
import * as Migrations from "@venue/postgres/Migrations"
import { Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { parseArgs } from "node:util"
import { connect } from "./Database.ts"
import * as LongHistory from "./LongHistory.ts"
import { say } from "./Report.ts"

const largest = 100_000_000

const stop = (problem: string): never => {
  say(problem)
  process.exit(2)
}

const { values } = parseArgs({ options: { trades: { type: "string" }, account: { type: "string" } } })
const trades = Number(values.trades)
if (!(Number.isInteger(trades) && trades >= 1 && trades <= largest)) {
  stop(`--trades is a whole number from 1 to ${largest.toLocaleString("en-US")}`)
}
const url = process.env["VENUE_DATABASE_URL"] ?? stop("VENUE_DATABASE_URL says which database is filled")
const accountId = values.account ?? randomUUID()

const fill = Effect.gen(function* () {
  // Fails while a venue runs: every venue and cluster node holds this lock.
  yield* DatabaseClaim.hold("alone")
  yield* Layer.build(Migrations.layer)
  const database = yield* Effect.promise(() => connect(url))
  say(
    `filling the history of account ${accountId}: its side of ${trades.toLocaleString("en-US")} trades, and their orders`
  )
  yield* Effect.promise(() => LongHistory.write(database, { accountId, trades }, say))
  yield* Effect.promise(() => database.end())
}).pipe(Effect.scoped, Effect.provide(DatabaseClient.layer({ url: Redacted.make(url), maxConnections: 4 })))

await Effect.runPromise(fill).catch((error: Error) => stop(error.message))
process.exit(0)
