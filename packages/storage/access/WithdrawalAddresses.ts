/** A user's money may leave to these addresses. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const addressTable = Table.make("withdrawal_address", {
  userId: of("text", UserId),
  network: of("text", Schema.Literals(["ARBITRUM_ONE", "TRON"])),
  address: text,
  /** The owner calls it this. */
  label: text,
  createdAtMillis: timestamptz
})
export type WithdrawalAddress = Table.Row<typeof addressTable>

export type NewWithdrawalAddress = Omit<WithdrawalAddress, "createdAtMillis">

export class WithdrawalAddresses extends Context.Service<
  WithdrawalAddresses,
  {
    /** One that is there already, in whatever letter case, stays as it is. The user must be there. */
    readonly add: (address: NewWithdrawalAddress) => Effect.Effect<void, DatabaseUnavailable>
    /** They come in the order they were added. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<WithdrawalAddress>, DatabaseUnavailable>
  }
>()("@venue/storage/access/WithdrawalAddresses") {
  static readonly layer: Layer.Layer<WithdrawalAddresses, MigrationError | SqlError, SqlClient.SqlClient> =
    Layer.effect(
      WithdrawalAddresses,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return WithdrawalAddresses.of({
          add: Effect.fn("WithdrawalAddresses.add")(function* (added: NewWithdrawalAddress) {
            const createdAtMillis = yield* Clock.currentTimeMillis
            yield* sql`
              insert into withdrawal_address ${addressTable.values({ ...added, createdAtMillis })}
              on conflict do nothing`
          }, orUnavailable),
          ofUser: Effect.fn("WithdrawalAddresses.ofUser")(
            (userId: UserId) =>
              addressTable.all(sql`
                select ${addressTable.columns} from withdrawal_address
                where user_id = ${storable(userId)} order by created_at, address`),
            orUnavailable
          )
        })
      })
    ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<WithdrawalAddresses> = Layer.effect(
    WithdrawalAddresses,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const addresses = table<WithdrawalAddress>()
      return WithdrawalAddresses.of({
        add: (added) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (createdAtMillis) => {
              const key = [added.userId, added.network, added.address.toLowerCase()].join(" ")
              if (addresses.get(key) === undefined) addresses.set(key, { ...added, createdAtMillis })
            })
          ),
        ofUser: (userId) => Effect.sync(() => addresses.rows().filter((address) => address.userId === userId))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
