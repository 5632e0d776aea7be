/** A user's money may leave to these addresses. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { Network } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import { boolean, of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const addressTable = Table.make("withdrawal_address", {
  /** It is a UUID. */
  addressId: text,
  userId: of("text", UserId),
  network: of("text", Network),
  address: text,
  /** The owner calls it this. */
  label: orNull(text),
  /** Its wallet has signed that it is the user's. */
  verified: boolean,
  createdAtMillis: timestamptz
})
export type WithdrawalAddress = Table.Row<typeof addressTable>

export type NewWithdrawalAddress = Omit<WithdrawalAddress, "createdAtMillis">

export interface Added {
  readonly address: WithdrawalAddress
  readonly isNew: boolean
}

const added = addressTable.with({ isNew: { schema: Schema.Boolean, expression: "xmax = 0" } })
const counts = Table.selection({ count: { schema: Schema.Number, expression: "count(*)::integer" } })

export class TooManyWithdrawalAddresses extends Schema.TaggedError<TooManyWithdrawalAddresses>()(
  "TooManyWithdrawalAddresses",
  { limit: Schema.Number }
) {}

/** A user may add so many. One that its wallet verifies is added in any case. */
export const maxWithdrawalAddresses = 100

export class WithdrawalAddresses extends Context.Service<
  WithdrawalAddresses,
  {
    /**
     * One that is there already, in whatever letter case, stays as it is, but is verified from then on if this one is. The
     * user must be there.
     */
    readonly add: (
      address: NewWithdrawalAddress
    ) => Effect.Effect<Added, TooManyWithdrawalAddresses | DatabaseUnavailable>
    /** They come in the order they were added. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<WithdrawalAddress>, DatabaseUnavailable>
    /** Answers whether the user had it. */
    readonly remove: (userId: UserId, addressId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@venue/storage/access/WithdrawalAddresses") {
  static readonly layer: Layer.Layer<WithdrawalAddresses, MigrationError | SqlError, SqlClient.SqlClient> =
    Layer.effect(
      WithdrawalAddresses,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        /** Those of one user are added one after the other, so that no two at once pass the limit. */
        const lacksRoom = Effect.fnUntraced(function* ({ address, network, userId }: NewWithdrawalAddress) {
          yield* sql`select 1 from venue_user where user_id = ${storable(userId)} for no key update`
          const [others] = yield* counts.all(sql`
            select ${counts.columns} from withdrawal_address
            where user_id = ${storable(userId)}
              and (network, lower(address)) <> (${network}, lower(${storable(address)}))`)
          return others!.count >= maxWithdrawalAddresses
        })
        return WithdrawalAddresses.of({
          add: Effect.fn("WithdrawalAddresses.add")(
            function* (address: NewWithdrawalAddress) {
              if (!address.verified && (yield* lacksRoom(address))) {
                return yield* new TooManyWithdrawalAddresses({ limit: maxWithdrawalAddresses })
              }
              const createdAtMillis = yield* Clock.currentTimeMillis
              const [row] = yield* added.all(sql`
                insert into withdrawal_address ${addressTable.values({ ...address, createdAtMillis })}
                on conflict (user_id, network, lower(address))
                do update set verified = withdrawal_address.verified or excluded.verified
                returning ${added.columns}`)
              const { isNew, ...rest } = row!
              return { address: rest, isNew }
            },
            sql.withTransaction,
            orUnavailable
          ),
          ofUser: Effect.fn("WithdrawalAddresses.ofUser")(
            (userId: UserId) =>
              addressTable.all(sql`
                select ${addressTable.columns} from withdrawal_address
                where user_id = ${storable(userId)} order by created_at, address`),
            orUnavailable
          ),
          remove: Effect.fn("WithdrawalAddresses.remove")(function* (userId: UserId, addressId: string) {
            const removed = yield* sql`
              delete from withdrawal_address
              where user_id = ${storable(userId)} and address_id = ${storable(addressId)} returning 1`
            return removed.length > 0
          }, orUnavailable)
        })
      })
    ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<WithdrawalAddresses> = Layer.effect(
    WithdrawalAddresses,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const addresses = table<WithdrawalAddress>()
      const ofUser = (userId: UserId) => addresses.rows().filter((row) => row.userId === userId)
      return WithdrawalAddresses.of({
        add: Effect.fnUntraced(function* (address: NewWithdrawalAddress) {
          const own = ofUser(address.userId)
          const known = own.find((row) => keyOf(row) === keyOf(address))
          if (known !== undefined) {
            const kept = { ...known, verified: known.verified || address.verified }
            addresses.set(keyOf(address), kept)
            return { address: kept, isNew: false }
          }
          if (!address.verified && own.length >= maxWithdrawalAddresses) {
            return yield* new TooManyWithdrawalAddresses({ limit: maxWithdrawalAddresses })
          }
          const row = { ...address, createdAtMillis: yield* Clock.currentTimeMillis }
          addresses.set(keyOf(address), row)
          return { address: row, isNew: true }
        }, transaction),
        ofUser: (userId) => Effect.sync(() => ofUser(userId)),
        remove: (userId, addressId) =>
          transaction(
            Effect.sync(() => {
              const row = ofUser(userId).find((own) => own.addressId === addressId)
              if (row !== undefined) addresses.delete(keyOf(row))
              return row !== undefined
            })
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const keyOf = ({ address, network, userId }: NewWithdrawalAddress): string =>
  [userId, network, address.toLowerCase()].join(" ")
