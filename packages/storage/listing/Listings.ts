/** Contracts that operators have listed permanently. */
import { ProductCategory, type Instrument, instrumentOf, type Terms } from "@venue/domain/Instrument"
import { bigint, of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
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
    /** Until the scope closes, calls `observe` with each listed contract whenever this process lists one. */
    readonly watch: (observe: (instrument: Instrument) => void) => Effect.Effect<void, never, Scope.Scope>
    /** Listed contracts, earliest first. */
    readonly all: Effect.Effect<ReadonlyArray<Instrument>, DatabaseUnavailable>
  }
>()("@venue/storage/listing/Listings") {
  static readonly layer: Layer.Layer<Listings, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Listings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = rowsOf(sql)
      const { notify, watch } = makeObservers()
      return Listings.of({
        watch,
        add: Effect.fn("Listings.add")(
          (terms: Terms) =>
            sql
              .withTransaction(
                Effect.gen(function* () {
                  // Without the lock, two concurrent calls would assign the same number.
                  yield* sql`lock table listing in exclusive mode`
                  const row = next(yield* all, terms, yield* Clock.currentTimeMillis)
                  yield* sql`insert into listing ${listingTable.values(row)} on conflict (base) do nothing`
                })
              )
              .pipe(Effect.andThen(listed(sql)), Effect.map(notify)),
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
      const { notify, watch } = makeObservers()
      return Listings.of({
        watch,
        add: (terms) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (atMillis) => {
              if (listings.get(terms.base) === undefined)
                listings.set(terms.base, next(listings.rows(), terms, atMillis))
            })
          ).pipe(Effect.map(() => notify(instruments(listings.rows())))),
        all: Effect.sync(() => instruments(listings.rows()))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

/** Observers receive every contract of the venue after each change; a contract that they have already is no news. */
const makeObservers = () => {
  const observers = new Set<(instrument: Instrument) => void>()
  return {
    notify: (all: ReadonlyArray<Instrument>) => {
      for (const observe of observers) for (const instrument of all) observe(instrument)
    },
    watch: (observe: (instrument: Instrument) => void) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => observers.add(observe)),
          () => Effect.sync(() => observers.delete(observe))
        )
      )
  }
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
