/** Builder codes: one for each user. Orders carry active ones alone. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { boolean, integer, of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const builderCodeTable = Table.make("builder_code", {
  /** It is a UUID. */
  builderCode: text,
  userId: of("text", UserId),
  venueBps: integer,
  builderBps: integer,
  active: boolean,
  createdAtMillis: timestamptz,
  updatedAtMillis: timestamptz
})
export type BuilderCode = Table.Row<typeof builderCodeTable>

export type NewBuilderCode = Pick<BuilderCode, "builderCode" | "userId" | "venueBps" | "builderBps" | "active">

export class BuilderCodeExists extends Schema.TaggedError<BuilderCodeExists>()("BuilderCodeExists", {
  userId: UserId
}) {}

export class UnknownBuilderCode extends Schema.TaggedError<UnknownBuilderCode>()("UnknownBuilderCode", {
  builderCode: Schema.String
}) {}

export class BuilderCodes extends Context.Service<
  BuilderCodes,
  {
    /** The user must exist. */
    readonly create: (code: NewBuilderCode) => Effect.Effect<BuilderCode, BuilderCodeExists | DatabaseUnavailable>
    readonly find: (builderCode: string) => Effect.Effect<Option.Option<BuilderCode>, DatabaseUnavailable>
    readonly ofUser: (userId: UserId) => Effect.Effect<Option.Option<BuilderCode>, DatabaseUnavailable>
    readonly setActive: (
      builderCode: string,
      active: boolean
    ) => Effect.Effect<BuilderCode, UnknownBuilderCode | DatabaseUnavailable>
  }
>()("@venue/storage/access/BuilderCodes") {
  static readonly layer: Layer.Layer<BuilderCodes, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    BuilderCodes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return BuilderCodes.of({
        create: Effect.fn("BuilderCodes.create")(function* (code: NewBuilderCode) {
          const now = yield* Clock.currentTimeMillis
          const made = yield* builderCodeTable.first(sql`
            insert into builder_code
            ${builderCodeTable.values({ ...code, createdAtMillis: now, updatedAtMillis: now })}
            on conflict (user_id) do nothing returning ${builderCodeTable.columns}`)
          return Option.isSome(made) ? made.value : yield* new BuilderCodeExists({ userId: code.userId })
        }, orUnavailable),
        find: Effect.fn("BuilderCodes.find")(
          (builderCode: string) =>
            builderCodeTable.first(sql`
              select ${builderCodeTable.columns} from builder_code where builder_code = ${storable(builderCode)}`),
          orUnavailable
        ),
        ofUser: Effect.fn("BuilderCodes.ofUser")(
          (userId: UserId) =>
            builderCodeTable.first(sql`
              select ${builderCodeTable.columns} from builder_code where user_id = ${storable(userId)}`),
          orUnavailable
        ),
        setActive: Effect.fn("BuilderCodes.setActive")(function* (builderCode: string, active: boolean) {
          const change = { active, updatedAtMillis: yield* Clock.currentTimeMillis }
          const changed = yield* builderCodeTable.first(sql`
            update builder_code set ${builderCodeTable.set(change)}
            where builder_code = ${storable(builderCode)} returning ${builderCodeTable.columns}`)
          return Option.isSome(changed) ? changed.value : yield* new UnknownBuilderCode({ builderCode })
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<BuilderCodes> = Layer.effect(
    BuilderCodes,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const codes = table<BuilderCode>()
      const ofUser = (userId: UserId) => codes.rows().find((code) => code.userId === userId)
      return BuilderCodes.of({
        create: Effect.fnUntraced(function* (code: NewBuilderCode) {
          if (ofUser(code.userId) !== undefined) return yield* new BuilderCodeExists({ userId: code.userId })
          const now = yield* Clock.currentTimeMillis
          const made = { ...code, createdAtMillis: now, updatedAtMillis: now }
          codes.set(code.builderCode, made)
          return made
        }, transaction),
        find: (builderCode) => Effect.sync(() => Option.fromUndefinedOr(codes.get(builderCode))),
        ofUser: (userId) => Effect.sync(() => Option.fromUndefinedOr(ofUser(userId))),
        setActive: Effect.fnUntraced(function* (builderCode: string, active: boolean) {
          const code = codes.get(builderCode)
          if (code === undefined) return yield* new UnknownBuilderCode({ builderCode })
          const changed = { ...code, active, updatedAtMillis: yield* Clock.currentTimeMillis }
          codes.set(builderCode, changed)
          return changed
        }, transaction)
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
