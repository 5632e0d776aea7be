import { UserId } from "@venue/domain/UserId"
import { type Acceptance, LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { Users } from "@venue/storage/access/Users"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const inPerson: Acceptance = {
  userId: UserId.make("amy"),
  termsVersion: "2026-01",
  agreementUrl: "https://venue.example/agreement",
  builder: null
}
const byWallet: Acceptance = {
  ...inPerson,
  builder: { builderCode: "code-1", address: "0xab", messageHash: "00".repeat(32) }
}
const amy = Effect.andThen(Users, (users) => users.create({ userId: UserId.make("amy"), name: "Amy" }))

const suite = (name: string, services: Layer.Layer<LegalAcceptances | Users, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("B8: keeps each legal acceptance as a row, newest first", () =>
      Effect.gen(function* () {
        const acceptances = yield* LegalAcceptances
        yield* amy
        yield* acceptances.record(inPerson)
        yield* TestClock.adjust(1_000)
        yield* acceptances.record(byWallet)
        yield* acceptances.record(byWallet)
        assert.deepStrictEqual(yield* acceptances.ofUser(UserId.make("amy")), [
          { ...byWallet, acceptedAtMillis: 1_000 },
          { ...byWallet, acceptedAtMillis: 1_000 },
          { ...inPerson, acceptedAtMillis: 0 }
        ])
        assert.deepStrictEqual(yield* acceptances.ofUser(UserId.make("\0")), [])
      })
    )
  })

const onPostgres = Layer.merge(LegalAcceptances.layer, Users.layer).pipe(Layer.provideMerge(postgresLayer))

suite("legal acceptances in memory", Layer.merge(LegalAcceptances.layerMemory, Users.layerMemory))
suite("legal acceptances on Postgres", onPostgres)

it.effect("rejects updates and deletions of legal acceptances", () =>
  Effect.gen(function* () {
    const acceptances = yield* LegalAcceptances
    const sql = yield* SqlClient.SqlClient
    yield* amy
    yield* acceptances.record(inPerson)
    yield* Effect.flip(sql`update legal_acceptance set terms_version = 'other'`)
    yield* Effect.flip(sql`delete from legal_acceptance`)
    assert.lengthOf(yield* acceptances.ofUser(UserId.make("amy")), 1)
  }).pipe(Effect.provide(onPostgres))
)
