/** What a venue may not change after its first start, and that one database serves one venue. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import { Effect, Layer } from "effect"
import { freshDatabase } from "../Postgres.ts"

const start = (desks: string) => (url: Effect.Success<typeof freshDatabase>) =>
  Layer.build(Layer.provide(Layer.fresh(FixedSettings.layerAlone({ VENUE_DESKS: desks })), PgClient.layer({ url })))

it.live("a venue keeps the number of desks it was founded with", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.scoped(start("16")(url))
    yield* Effect.scoped(start("16")(url))
    const refused = yield* Effect.flip(Effect.scoped(start("8")(url)))
    assert.strictEqual(refused._tag, "SettingChanged")
    assert.include(refused.message, "VENUE_DESKS was 16")
  })
)

it.live("a second venue on the same database is refused while the first one lives", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* start("16")(url)
    const refused = yield* Effect.flip(Effect.scoped(start("16")(url)))
    assert.strictEqual(refused._tag, "DatabaseTaken")
  })
)

const node = (url: Effect.Success<typeof freshDatabase>) =>
  Layer.build(Layer.provide(Layer.fresh(FixedSettings.layerShared({ VENUE_DESKS: "16" })), PgClient.layer({ url })))

it.live("nodes share a database with each other, and never with a venue of one process", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* node(url)
        yield* node(url)
        const lone = yield* Effect.flip(Effect.scoped(start("16")(url)))
        assert.strictEqual(lone.message, "another venue is running on this database")
      })
    )
    yield* start("16")(url)
    const refused = yield* Effect.flip(Effect.scoped(node(url)))
    assert.include(refused.message, "stop it before nodes are started")
  })
)
