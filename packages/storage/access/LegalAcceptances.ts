/** Who agreed to which terms, when and how: only ever added to. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { Buffer } from "node:buffer"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { millis } from "@venue/postgres/Millis"

export interface Acceptance {
  readonly userId: string
  /** Null of an agreement that was no longer the current one; its address tells which it was. */
  readonly termsVersion: string | null
  readonly agreementUrl: string
  /** Null when they agreed on our own pages, signed in. */
  readonly builder: {
    readonly builderCode: string
    /** Lower case. */
    readonly address: string
    /** SHA-256 of the signed message, hex. */
    readonly messageHash: string
  } | null
}

export interface RecordedAcceptance extends Acceptance {
  readonly acceptedAtMillis: number
}

export class LegalAcceptances extends Context.Service<
  LegalAcceptances,
  {
    /** The user must be there. */
    readonly record: (acceptance: Acceptance) => Effect.Effect<void, DatabaseUnavailable>
    /** The newest first, at most a hundred. */
    readonly ofUser: (userId: string) => Effect.Effect<ReadonlyArray<RecordedAcceptance>, DatabaseUnavailable>
  }
>()("@venue/storage/access/LegalAcceptances") {
  static readonly layer: Layer.Layer<LegalAcceptances, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    LegalAcceptances,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return LegalAcceptances.of({
        record: Effect.fn("LegalAcceptances.record")(function* (acceptance: Acceptance) {
          const { agreementUrl, builder, termsVersion, userId } = acceptance
          yield* sql`
            insert into legal_acceptance ${sql.insert({
              user_id: userId,
              terms_version: termsVersion,
              agreement_url: agreementUrl,
              source: builder === null ? "user" : "builder",
              address: builder?.address ?? null,
              message_hash: builder === null ? null : Buffer.from(builder.messageHash, "hex"),
              builder_code: builder?.builderCode ?? null,
              accepted_at: new Date(yield* Clock.currentTimeMillis)
            })}`
        }, orUnavailable),
        ofUser: Effect.fn("LegalAcceptances.ofUser")(function* (userId: string) {
          return yield* sql<RecordedAcceptance>`
            select user_id as "userId", terms_version as "termsVersion", agreement_url as "agreementUrl",
              case when source = 'builder' then json_build_object('builderCode', builder_code, 'address', address,
                'messageHash', encode(message_hash, 'hex')) end as builder,
              ${sql.literal(millis("accepted_at"))} as "acceptedAtMillis"
            from legal_acceptance where user_id = ${storable(userId)} order by number desc limit ${maxListed}`
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
