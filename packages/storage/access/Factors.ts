/** Users' authenticator apps as second factors, with secrets sealed at rest. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { bigint, bytea, of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Seal } from "@venue/postgres/Seal"

const factorTable = Table.make("factor", {
  factorId: text,
  userId: of("text", UserId),
  /** Empty unless the user chose a name. */
  friendlyName: text,
  sealedSecret: bytea,
  createdAtMillis: timestamptz,
  updatedAtMillis: timestamptz,
  verifiedAtMillis: orNull(timestamptz),
  acceptedStep: orNull(bigint)
})
type Row = Table.Row<typeof factorTable>

export interface Factor extends Omit<Row, "sealedSecret" | "verifiedAtMillis" | "acceptedStep"> {
  readonly status: "unverified" | "verified"
}

export interface FactorSecret extends Factor {
  readonly secret: Redacted.Redacted
}

export class FactorNameConflict extends Schema.TaggedError<FactorNameConflict>()("FactorNameConflict", {
  userId: UserId
}) {}

/** All methods treat an expired, unverified factor as absent. */
export class Factors extends Context.Service<
  Factors,
  {
    /** Adds an unverified factor for an existing user. It expires after 300 s unless it is verified. */
    readonly add: (
      factor: Pick<FactorSecret, "factorId" | "userId" | "friendlyName" | "secret">
    ) => Effect.Effect<void, FactorNameConflict | DatabaseUnavailable>
    /** Returns the user's factors in the order in which they were added. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Factor>, DatabaseUnavailable>
    /** Returns the user's factor, or `Option.none` if the user has no such factor. */
    readonly find: (userId: UserId, factorId: string) => Effect.Effect<Option.Option<FactorSecret>, DatabaseUnavailable>
    /**
     * Accepts a code by its time step, and marks an unverified factor as verified. Returns false without a change if
     * this or a later time step was accepted before.
     */
    readonly accept: (factorId: string, step: number) => Effect.Effect<boolean, DatabaseUnavailable>
    readonly remove: (factorId: string) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/access/Factors") {
  static readonly layer: Layer.Layer<Factors, MigrationError | SqlError, SqlClient.SqlClient | Seal> = Layer.effect(
    Factors,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { open, seal } = yield* Seal

      const isLive = (nowMillis: number) =>
        sql`(verified_at is not null or created_at > ${new Date(nowMillis - unverifiedForMillis)})`

      return Factors.of({
        add: Effect.fn("Factors.add")(
          function* ({ factorId, friendlyName, secret, userId }) {
            const now = yield* Clock.currentTimeMillis
            yield* sql`delete from factor where user_id = ${storable(userId)} and not ${isLive(now)}`
            const sealedSecret = seal(secret, sealName(factorId))
            const times = { createdAtMillis: now, updatedAtMillis: now }
            const added = yield* sql`
              insert into factor ${factorTable.values({ factorId, userId, friendlyName, sealedSecret, ...times })}
              on conflict (user_id, friendly_name) where friendly_name <> '' do nothing returning 1`
            if (added.length === 0) return yield* new FactorNameConflict({ userId })
          },
          sql.withTransaction,
          orUnavailable
        ),
        ofUser: Effect.fn("Factors.ofUser")(function* (userId) {
          const now = yield* Clock.currentTimeMillis
          const rows = yield* factorTable.all(sql`
            select ${factorTable.columns} from factor
            where user_id = ${storable(userId)} and ${isLive(now)} order by created_at, factor_id`)
          return rows.map(factorOf)
        }, orUnavailable),
        find: Effect.fn("Factors.find")(function* (userId, factorId) {
          const now = yield* Clock.currentTimeMillis
          const known = yield* factorTable.first(sql`
            select ${factorTable.columns} from factor
            where factor_id = ${storable(factorId)} and user_id = ${storable(userId)} and ${isLive(now)}`)
          return Option.map(known, (row): FactorSecret => ({
            ...factorOf(row),
            secret: open(row.sealedSecret, sealName(row.factorId))
          }))
        }, orUnavailable),
        accept: Effect.fn("Factors.accept")(function* (factorId, step) {
          const now = yield* Clock.currentTimeMillis
          const at = new Date(now)
          const accepted = yield* sql`
            update factor set accepted_step = ${step}, verified_at = coalesce(verified_at, ${at}), updated_at = ${at}
            where factor_id = ${storable(factorId)} and ${isLive(now)}
              and (accepted_step is null or accepted_step < ${step})
            returning 1`
          return accepted.length > 0
        }, orUnavailable),
        remove: Effect.fn("Factors.remove")(
          (factorId: string) => sql`delete from factor where factor_id = ${storable(factorId)}`,
          Effect.asVoid,
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Factors> = Layer.effect(
    Factors,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const stored = table<StoredFactor>()
      const live = Effect.map(Clock.currentTimeMillis, (now) =>
        stored.rows().filter(({ factor }) => isVerified(factor) || factor.createdAtMillis > now - unverifiedForMillis)
      )

      return Factors.of({
        add: Effect.fnUntraced(function* ({ factorId, friendlyName, secret, userId }) {
          const own = (yield* live).filter(({ factor }) => factor.userId === userId)
          for (const row of stored.rows()) {
            if (row.factor.userId === userId && !own.includes(row)) stored.delete(row.factor.factorId)
          }
          const isTaken = own.some(({ factor }) => factor.friendlyName === friendlyName)
          if (friendlyName !== "" && isTaken) return yield* new FactorNameConflict({ userId })
          const at = yield* Clock.currentTimeMillis
          const times = { createdAtMillis: at, updatedAtMillis: at }
          const factor: Factor = { factorId, userId, friendlyName, status: "unverified", ...times }
          stored.set(factorId, { factor, secret, acceptedStep: -Infinity })
        }, transaction),
        ofUser: (userId) =>
          Effect.map(live, (rows) => rows.map(({ factor }) => factor).filter((factor) => factor.userId === userId)),
        find: (userId, factorId) =>
          Effect.map(live, (rows) => {
            const row = rows.find(({ factor }) => factor.factorId === factorId && factor.userId === userId)
            return Option.map(Option.fromUndefinedOr(row), ({ factor, secret }) => ({ ...factor, secret }))
          }),
        accept: Effect.fnUntraced(function* (factorId, step) {
          const row = (yield* live).find(({ factor }) => factor.factorId === factorId)
          if (row === undefined || row.acceptedStep >= step) return false
          const updatedAtMillis = yield* Clock.currentTimeMillis
          const factor: Factor = { ...row.factor, status: "verified", updatedAtMillis }
          stored.set(factorId, { ...row, factor, acceptedStep: step })
          return true
        }, transaction),
        remove: (factorId) => transaction(Effect.sync(() => stored.delete(factorId)))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const unverifiedForMillis = 300 * 1000

const factorOf = (row: Row): Factor => ({
  ...Struct.omit(row, ["sealedSecret", "verifiedAtMillis", "acceptedStep"]),
  status: row.verifiedAtMillis === null ? "unverified" : "verified"
})

export const isVerified = (factor: Factor): boolean => factor.status === "verified"

/** The prefix prevents a factor's sealed secret from being opened as another kind of secret. */
/** Returns the name for which a secret is sealed. */
export const sealName = (factorId: string): string => `factor:${factorId}`

interface StoredFactor {
  readonly factor: Factor
  readonly secret: Redacted.Redacted
  readonly acceptedStep: number
}
