/** Append-only log of accepted terms: the user, the version, the time and the way of acceptance. */
import { Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { Buffer } from "node:buffer"
import { UserId } from "@venue/domain/UserId"
import { bytea, of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const acceptanceTable = Table.make("legal_acceptance", {
  userId: of("text", UserId),
  /** Null if the accepted agreement was not the current version; `agreementUrl` then identifies it. */
  termsVersion: orNull(text),
  agreementUrl: text,
  source: of("text", Schema.Literals(["user", "builder"])),
  /** `builderCode`, `address` and `messageHash` are null if and only if the source is `user`. */
  builderCode: orNull(text),
  address: orNull(text),
  messageHash: orNull(bytea),
  acceptedAtMillis: timestamptz
})
type Row = Table.Row<typeof acceptanceTable>

export interface Acceptance extends Pick<Row, "userId" | "termsVersion" | "agreementUrl"> {
  /** Null if the user accepted on the venue's own pages in a session. */
  readonly builder: {
    readonly builderCode: string
    /** In lower case. */
    readonly address: string
    /** SHA-256 of the signed message, in hex. */
    readonly messageHash: string
  } | null
}

export interface RecordedAcceptance extends Acceptance {
  readonly acceptedAtMillis: number
}

export class LegalAcceptances extends Context.Service<
  LegalAcceptances,
  {
    /** Records an existing user's acceptance. */
    readonly record: (acceptance: Acceptance) => Effect.Effect<void, DatabaseUnavailable>
    /** Returns the user's newest 100 acceptances, newest first. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<RecordedAcceptance>, DatabaseUnavailable>
  }
>()("@venue/storage/access/LegalAcceptances") {
  static readonly layer: Layer.Layer<LegalAcceptances, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    LegalAcceptances,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return LegalAcceptances.of({
        record: Effect.fn("LegalAcceptances.record")(function* (acceptance: Acceptance) {
          const acceptedAtMillis = yield* Clock.currentTimeMillis
          yield* sql`insert into legal_acceptance ${acceptanceTable.values(rowOf({ ...acceptance, acceptedAtMillis }))}`
        }, orUnavailable),
        ofUser: Effect.fn("LegalAcceptances.ofUser")(function* (userId: UserId) {
          const rows = yield* acceptanceTable.all(sql`
            select ${acceptanceTable.columns} from legal_acceptance
            where user_id = ${storable(userId)} order by number desc limit ${maxListed}`)
          return rows.map(recordedOf)
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<LegalAcceptances> = Layer.effect(
    LegalAcceptances,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const acceptances = table<RecordedAcceptance>()
      return LegalAcceptances.of({
        record: (acceptance) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (acceptedAtMillis) =>
              acceptances.set(String(acceptances.rows().length), { ...acceptance, acceptedAtMillis })
            )
          ),
        ofUser: (userId) =>
          Effect.sync(() =>
            acceptances
              .rows()
              .filter((acceptance) => acceptance.userId === userId)
              .toReversed()
              .slice(0, maxListed)
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const maxListed = 100

const rowOf = ({ builder, ...acceptance }: RecordedAcceptance): Row => ({
  ...acceptance,
  source: builder === null ? "user" : "builder",
  builderCode: builder?.builderCode ?? null,
  address: builder?.address ?? null,
  messageHash: builder === null ? null : Buffer.from(builder.messageHash, "hex")
})

const recordedOf = ({ address, builderCode, messageHash, ...rest }: Row): RecordedAcceptance => ({
  ...Struct.omit(rest, ["source"]),
  builder:
    builderCode === null || address === null || messageHash === null
      ? null
      : { builderCode, address, messageHash: Buffer.from(messageHash).toString("hex") }
})
