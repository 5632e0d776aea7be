/** Contracts that operators have listed permanently. The venue trades a listed contract after its next start. */
import { ProductCategory, type Instrument, instrumentOf, type Terms } from "@venue/domain/Instrument"
import { bigint, of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const listingTable = Table.make("listing", {
  base: text,
  clobPairId: bigint,
  category: of("text", ProductCategory),
  tickE8: bigint,
  lotE8: bigint,
  minQuantityLots: bigint,
  maxQuantityLots: bigint,
  maxLeverage: bigint,
  listedAtMillis: timestamptz
})
type Listing = Table.Row<typeof listingTable>

export class Listings extends Context.Service<
  Listings,
  {
    /** Lists a contract. Leaves the terms unchanged if its base asset is already listed. */
    readonly add: (terms: Terms) => Effect.Effect<void, DatabaseUnavailable>
    /** Listed contracts, earliest first. */
    readonly all: Effect.Effect<ReadonlyArray<Instrument>, DatabaseUnavailable>
  }
>()("@venue/storage/listing/Listings") {
  static readonly layer: Layer.Layer<Listings, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Listings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = rowsOf(sql)
      return Listings.of({
        add: Effect.fn("Listings.add")(
          (terms: Terms) =>
            sql.withTransaction(
              Effect.gen(function* () {
                // Without the lock, two concurrent calls would assign the same number.
                yield* sql`lock table listing in exclusive mode`
                const row = next(yield* all, terms, yield* Clock.currentTimeMillis)
                yield* sql`insert into listing ${listingTable.values(row)} on conflict (base) do nothing`
              })
            ),
          orUnavailable
        ),
        all: orUnavailable(listed(sql))
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Listings> = Layer.effect(
    Listings,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const listings = table<Listing>()
      return Listings.of({
        add: (terms) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (atMillis) => {
              if (listings.get(terms.base) === undefined)
                listings.set(terms.base, next(listings.rows(), terms, atMillis))
            })
          ),
        all: Effect.sync(() => instruments(listings.rows()))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

/** Returns the contracts listed in a database, without migrating it. */
export const listed = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Instrument>, SqlError> =>
  Effect.map(rowsOf(sql), instruments)

const rowsOf = (sql: SqlClient.SqlClient) =>
  listingTable.all(sql`select ${listingTable.columns} from listing order by clob_pair_id`)

/** Highest number reserved for a new venue's contracts, in this and later releases. */
const ofNewVenues = 1_000

const next = (listed: ReadonlyArray<Listing>, terms: Terms, listedAtMillis: number): Listing => ({
  ...terms,
  clobPairId: Math.max(ofNewVenues, ...listed.map(({ clobPairId }) => clobPairId)) + 1,
  listedAtMillis
})

const instruments = (listed: ReadonlyArray<Listing>): ReadonlyArray<Instrument> =>
  listed.map(({ clobPairId, ...terms }) => instrumentOf(clobPairId, terms))
