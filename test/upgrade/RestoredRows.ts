/** The rows that release 0.1.0 stored, in a database that all later migrations upgraded. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { baseline } from "@venue/postgres/migrations/0001_baseline"
import { Seal } from "@venue/postgres/Seal"
import * as VenueStorage from "@venue/storage/VenueStorage"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Migrator, SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { emptyPostgresLayer } from "../Postgres.ts"

/** Traded, deposited and withdrew. */
export const alice = UserId.make("fb5f9f90-06af-4958-841d-ce90010852dd")
/** Has a second factor. */
export const bob = UserId.make("6d30372a-6f71-409d-9f27-b638a42d2b09")
/** Has a builder code. */
export const carol = UserId.make("cd32cd4f-4e3c-47ae-826b-643261db28eb")
/** Signed in with a wallet, and redeemed one of alice's invitation codes. */
export const dan = UserId.make("206b7277-df2e-415e-9603-1b98df8baf35")

export const apple = MarketSymbol.make("AAPL-USD")

/** VENUE_SECRET_KEY of the venue that stored the rows. */
const secretKey = Redacted.make("svc_test_43758855969ebdd1c817507851c81b1045094831c8304745a9adcfb5b24e5b6f")

const rows = readFileSync(new URL("0.1.0.sql", import.meta.url), "utf8")

/** Creates the tables as release 0.1.0 did, and inserts its rows. */
const restore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const loader = Migrator.fromRecord({ "0001_baseline": baseline })
  yield* Migrator.make({})({ loader, table: "migration" })
  yield* sql`set local session_replication_role = replica`
  yield* Effect.forEach(rows.trim().split(/;\n/), (statement) => sql.unsafe(statement), { discard: true })
})

const database = Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(restore))).pipe(
  Layer.provideMerge(emptyPostgresLayer)
)

/** A venue's storage and its database client. Building the services runs all migrations. */
export const layer = VenueStorage.layer({ journal: database, tables: database, access: database }).pipe(
  Layer.provide([Seal.layer(secretKey), SecureRandom.layerWebCrypto]),
  Layer.provideMerge(database)
)
