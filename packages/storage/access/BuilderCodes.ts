/** Builder codes, at most one per user. Orders can carry only active codes. */
import { Clock, Context, Effect, Option, Schema } from "effect"
import { UserId } from "@venue/domain/UserId"
import { boolean, integer, of, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"

const builderCodeTable = Table.make("builder_code", {
  /** UUID. */
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
    /** Creates a code for an existing user. */
    readonly create: (code: NewBuilderCode) => Effect.Effect<BuilderCode, BuilderCodeExists | DatabaseUnavailable>
    readonly find: (builderCode: string) => Effect.Effect<Option.Option<BuilderCode>, DatabaseUnavailable>
    readonly ofUser: (userId: UserId) => Effect.Effect<Option.Option<BuilderCode>, DatabaseUnavailable>
    readonly setActive: (
      builderCode: string,
      active: boolean
    ) => Effect.Effect<BuilderCode, UnknownBuilderCode | DatabaseUnavailable>
  }
>()("@venue/storage/access/BuilderCodes") {
  static readonly layer = Store.layer(BuilderCodes, () => make)
  static readonly layerMemory = Store.layerMemory(BuilderCodes, () => make)
}

const make = Effect.gen(function* () {
  const codes = yield* Store.make(builderCodeTable, { key: ["userId"] })
  return BuilderCodes.of({
    create: Effect.fn("BuilderCodes.create")(function* (code: NewBuilderCode) {
      const now = yield* Clock.currentTimeMillis
      const row = { ...code, createdAtMillis: now, updatedAtMillis: now }
      return (yield* codes.insert(row)) ? row : yield* new BuilderCodeExists({ userId: code.userId })
    }),
    find: Effect.fn("BuilderCodes.find")((builderCode: string) => codes.find({ builderCode })),
    ofUser: Effect.fn("BuilderCodes.ofUser")((userId: UserId) => codes.find({ userId })),
    setActive: Effect.fn("BuilderCodes.setActive")(function* (builderCode: string, active: boolean) {
      const updatedAtMillis = yield* Clock.currentTimeMillis
      const changed = yield* codes.update({ builderCode }, { active, updatedAtMillis })
      return Option.isSome(changed) ? changed.value : yield* new UnknownBuilderCode({ builderCode })
    })
  })
})
