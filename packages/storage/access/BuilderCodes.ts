/** Builder codes: one for each user at most, of use once the operator has activated it. */
import type { FeeShare } from "@venue/domain/FeeShare"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { millis } from "@venue/postgres/Millis"

export interface BuilderCode extends FeeShare {
  /** A UUID. */
  readonly builderCode: string
  readonly userId: string
  readonly active: boolean
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

export type NewBuilderCode = Pick<BuilderCode, "builderCode" | "userId" | "venueBps" | "builderBps">

export class BuilderCodeExists extends Schema.TaggedError<BuilderCodeExists>()("BuilderCodeExists", {
  userId: Schema.String
}) {}

export class UnknownBuilderCode extends Schema.TaggedError<UnknownBuilderCode>()("UnknownBuilderCode", {
  builderCode: Schema.String
}) {}

export class BuilderCodes extends Context.Service<
  BuilderCodes,
  {
    /** Not active yet. The user must be there. */
    readonly create: (code: NewBuilderCode) => Effect.Effect<BuilderCode, BuilderCodeExists | DatabaseUnavailable>
    readonly find: (builderCode: string) => Effect.Effect<Option.Option<BuilderCode>, DatabaseUnavailable>
    readonly ofUser: (userId: string) => Effect.Effect<Option.Option<BuilderCode>, DatabaseUnavailable>
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
      const columns = sql.literal(`
        builder_code as "builderCode", user_id as "userId", venue_bps as "venueBps", builder_bps as "builderBps", active,
        ${millis("created_at")} as "createdAtMillis", ${millis("updated_at")} as "updatedAtMillis"`)
      const first = Effect.map((rows: ReadonlyArray<BuilderCode>) => Option.fromUndefinedOr(rows[0]))

      return BuilderCodes.of({
        create: Effect.fn("BuilderCodes.create")(function* (code: NewBuilderCode) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const [made] = yield* sql<BuilderCode>`
            insert into builder_code (builder_code, user_id, venue_bps, builder_bps, created_at, updated_at)
            values (${code.builderCode}, ${code.userId}, ${code.venueBps}, ${code.builderBps}, ${at}, ${at})
            on conflict (user_id) do nothing returning ${columns}`
          return made ?? (yield* new BuilderCodeExists({ userId: code.userId }))
        }, orUnavailable),
        find: Effect.fn("BuilderCodes.find")((builderCode: string) =>
          sql<BuilderCode>`select ${columns} from builder_code where builder_code = ${storable(builderCode)}`.pipe(
            first,
            orUnavailable
          )
        ),
        ofUser: Effect.fn("BuilderCodes.ofUser")((userId: string) =>
          sql<BuilderCode>`select ${columns} from builder_code where user_id = ${storable(userId)}`.pipe(
            first,
            orUnavailable
          )
        ),
        setActive: Effect.fn("BuilderCodes.setActive")(function* (builderCode: string, active: boolean) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const [changed] = yield* sql<BuilderCode>`
            update builder_code set active = ${active}, updated_at = ${at}
            where builder_code = ${storable(builderCode)} returning ${columns}`
          return changed ?? (yield* new UnknownBuilderCode({ builderCode }))
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<BuilderCodes> = Layer.effect(
    BuilderCodes,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const codes = table<BuilderCode>()
      const ofUser = (userId: string) => codes.rows().find((code) => code.userId === userId)
      return BuilderCodes.of({
        create: Effect.fnUntraced(function* (code: NewBuilderCode) {
          if (ofUser(code.userId) !== undefined) return yield* new BuilderCodeExists({ userId: code.userId })
          const now = yield* Clock.currentTimeMillis
          const made = { ...code, active: false, createdAtMillis: now, updatedAtMillis: now }
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
