/** Messages that attribute bank transfers to users. Each user has one permanent message for each payment rail. */
import { DepositRail } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import { of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const messageTable = Table.make("deposit_message", {
  userId: of("text", UserId),
  rail: of("text", DepositRail),
  message: text,
  createdAtMillis: timestamptz
})
export type DepositMessage = Table.Row<typeof messageTable>

export class DepositMessages extends Context.Service<
  DepositMessages,
  {
    /** Returns an existing user's message on a rail; the first call draws a random message. */
    readonly provide: (userId: UserId, rail: DepositRail) => Effect.Effect<DepositMessage, DatabaseUnavailable>
    /** Returns the owner of an exactly matching message, regardless of the payment rail on which the money arrived. */
    readonly find: (message: string) => Effect.Effect<Option.Option<DepositMessage>, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/DepositMessages") {
  static readonly layer: Layer.Layer<
    DepositMessages,
    MigrationError | SqlError,
    SqlClient.SqlClient | SecureRandom.SecureRandom
  > = Layer.effect(
    DepositMessages,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const { columns } = messageTable
      const known = (userId: UserId, rail: DepositRail) =>
        messageTable.first(sql`
          select ${columns} from deposit_message where user_id = ${storable(userId)} and rail = ${rail}`)
      const insert = Effect.fnUntraced(function* (userId: UserId, rail: DepositRail) {
        const createdAtMillis = yield* Clock.currentTimeMillis
        const message = yield* drawn(random)
        yield* sql`
          insert into deposit_message ${messageTable.values({ userId, rail, message, createdAtMillis })}
          on conflict do nothing`
      })
      return DepositMessages.of({
        provide: Effect.fn("DepositMessages.provide")(function* (userId: UserId, rail: DepositRail) {
          let row = yield* known(userId, rail)
          // The drawn message might already belong to another user.
          while (Option.isNone(row)) {
            yield* insert(userId, rail)
            row = yield* known(userId, rail)
          }
          return row.value
        }, orUnavailable),
        find: Effect.fn("DepositMessages.find")(
          (message: string) =>
            messageTable.first(sql`select ${columns} from deposit_message where message = ${storable(message)}`),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<DepositMessages, never, SecureRandom.SecureRandom> = Layer.effect(
    DepositMessages,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const random = yield* SecureRandom.SecureRandom
      const messages = table<DepositMessage>()
      const find = (message: string) => messages.rows().find((row) => row.message === message)
      return DepositMessages.of({
        provide: Effect.fnUntraced(function* (userId: UserId, rail: DepositRail) {
          const key = `${userId} ${rail}`
          const known = messages.get(key)
          if (known !== undefined) return known
          const message = yield* Effect.repeat(drawn(random), { until: (drawn) => find(drawn) === undefined })
          const row = { userId, rail, message, createdAtMillis: yield* Clock.currentTimeMillis }
          messages.set(key, row)
          return row
        }, transaction),
        find: (message) => Effect.sync(() => Option.fromUndefinedOr(find(message)))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

/** Draws a message from 32 characters with five random bits each, without the easily misread I, L, O and U. */
const drawn = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.map(random.randomBytes(length), (bytes) => Array.from(bytes, (byte) => alphabet[byte & 31]).join(""))

const length = 12
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
