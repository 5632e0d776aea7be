/**
 * Deposit addresses. Users see only their newest address on each network, but deposits to earlier addresses are still
 * credited.
 */
import { Network } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import { integer, of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const addressTable = Table.make("deposit_address", {
  network: of("text", Network),
  /** Index from which the address is derived, counted up from 0 on each network without gaps. */
  index: integer,
  userId: of("text", UserId),
  address: text,
  createdAtMillis: timestamptz
})
export type DepositAddress = Table.Row<typeof addressTable>

const counts = Table.selection({ count: { schema: Schema.Number, expression: "count" } })
const own = Table.selection({ count: { schema: Schema.Number, expression: "count(*)::integer" } })

export class TooManyDepositAddresses extends Schema.TaggedError<TooManyDepositAddresses>()("TooManyDepositAddresses", {
  limit: Schema.Number
}) {}

/** Maximum number of addresses per user and network, because each address is watched permanently. */
export const maxDepositAddresses = 100

type AddressAt = (index: number) => string

export class DepositAddresses extends Context.Service<
  DepositAddresses,
  {
    /** Returns an existing user's newest address on a network; the first call creates it. */
    readonly provide: (
      userId: UserId,
      network: Network,
      addressAt: AddressAt
    ) => Effect.Effect<DepositAddress, DatabaseUnavailable>
    /** Creates a new address for an existing user. */
    readonly rotate: (
      userId: UserId,
      network: Network,
      addressAt: AddressAt
    ) => Effect.Effect<DepositAddress, TooManyDepositAddresses | DatabaseUnavailable>
    /** Returns the given addresses that belong to users. */
    readonly owned: (
      network: Network,
      addresses: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<DepositAddress>, DatabaseUnavailable>
    /**
     * Returns at most `limit` addresses whose index is above the given one, ordered by index. Addresses become
     * visible in this order.
     */
    readonly after: (
      network: Network,
      index: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DepositAddress>, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/DepositAddresses") {
  static readonly layer: Layer.Layer<DepositAddresses, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    DepositAddresses,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { columns } = addressTable

      const newest = (userId: UserId, network: Network) =>
        addressTable.first(sql`
          select ${columns} from deposit_address
          where user_id = ${storable(userId)} and network = ${network} order by index desc limit 1`)
      /** Returns a network's next index, and locks the network's counter until the end of the transaction. */
      const nextIndex = Effect.fnUntraced(function* (network: Network) {
        yield* sql`insert into deposit_address_count values (${network}, 0) on conflict do nothing`
        const [row] = yield* counts.all(sql`
          select ${counts.columns} from deposit_address_count where network = ${network} for update`)
        return row!.count
      })
      const insert = Effect.fnUntraced(function* (row: DepositAddress) {
        yield* sql`update deposit_address_count set count = ${row.index + 1} where network = ${row.network}`
        yield* sql`insert into deposit_address ${addressTable.values(row)}`
        return row
      })

      return DepositAddresses.of({
        provide: Effect.fn("DepositAddresses.provide")(function* (userId, network, addressAt) {
          const known = yield* newest(userId, network)
          if (Option.isSome(known)) return known.value
          return yield* sql.withTransaction(
            Effect.gen(function* () {
              const index = yield* nextIndex(network)
              // A concurrent call might have created the address while this call waited for the lock.
              const made = yield* newest(userId, network)
              if (Option.isSome(made)) return made.value
              const createdAtMillis = yield* Clock.currentTimeMillis
              return yield* insert({ network, index, userId, address: addressAt(index), createdAtMillis })
            })
          )
        }, orUnavailable),
        rotate: Effect.fn("DepositAddresses.rotate")(
          function* (userId, network, addressAt) {
            const index = yield* nextIndex(network)
            const [mine] = yield* own.all(sql`
              select ${own.columns} from deposit_address where user_id = ${storable(userId)} and network = ${network}`)
            if (mine!.count >= maxDepositAddresses) {
              return yield* new TooManyDepositAddresses({ limit: maxDepositAddresses })
            }
            const createdAtMillis = yield* Clock.currentTimeMillis
            return yield* insert({ network, index, userId, address: addressAt(index), createdAtMillis })
          },
          sql.withTransaction,
          orUnavailable
        ),
        owned: Effect.fn("DepositAddresses.owned")(
          (network: Network, addresses: ReadonlyArray<string>) =>
            addresses.length === 0
              ? Effect.succeed([])
              : addressTable.all(
                  sql`
                    select ${columns} from deposit_address
                    where network = ${network} and address in ${sql.in(addresses.map(storable))} order by index`
                    .unprepared
                ),
          orUnavailable
        ),
        after: Effect.fn("DepositAddresses.after")(
          (network: Network, index: number, limit: number) =>
            addressTable.all(sql`
              select ${columns} from deposit_address
              where network = ${network} and index > ${index} order by index limit ${limit}`),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<DepositAddresses> = Layer.effect(
    DepositAddresses,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const kept = table<DepositAddress>()
      const of = (network: Network) => kept.rows().filter((row) => row.network === network)
      const ofUser = (userId: UserId, network: Network) => of(network).filter((row) => row.userId === userId)
      const make = Effect.fnUntraced(function* (userId: UserId, network: Network, addressAt: AddressAt) {
        const index = of(network).length
        const createdAtMillis = yield* Clock.currentTimeMillis
        const row = { network, index, userId, address: addressAt(index), createdAtMillis }
        kept.set(`${network} ${index}`, row)
        return row
      })
      return DepositAddresses.of({
        provide: Effect.fnUntraced(function* (userId: UserId, network: Network, addressAt: AddressAt) {
          return ofUser(userId, network).at(-1) ?? (yield* make(userId, network, addressAt))
        }, transaction),
        rotate: Effect.fnUntraced(function* (userId: UserId, network: Network, addressAt: AddressAt) {
          if (ofUser(userId, network).length >= maxDepositAddresses) {
            return yield* new TooManyDepositAddresses({ limit: maxDepositAddresses })
          }
          return yield* make(userId, network, addressAt)
        }, transaction),
        owned: (network, addresses) =>
          Effect.sync(() => of(network).filter(({ address }) => addresses.includes(address))),
        after: (network, index, limit) =>
          Effect.sync(() =>
            of(network)
              .filter((row) => row.index > index)
              .slice(0, limit)
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
