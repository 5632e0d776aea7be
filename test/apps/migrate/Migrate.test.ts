/** `npm run migrate`: which database it prepares. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as Migrations from "@venue/postgres/Migrations"
import { ConfigProvider, Console, Effect, Redacted } from "effect"
import * as Migrate from "../../../apps/migrate/Migrate.ts"
import { emptyDatabase } from "../../Postgres.ts"

/** Runs the command with these variables. Returns its last line, or the message of its failure. */
const migrate = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
  let last = ""
  const log = (...words: ReadonlyArray<unknown>) => void (last = words.map(String).join(" "))
  return yield* Migrate.run.pipe(
    Effect.scoped,
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)),
    Effect.provideService(
      Console.Console,
      Object.assign(Object.create(globalThis.console), { log }) as Console.Console
    ),
    Effect.provide(NodeServices.layer),
    Effect.match({ onSuccess: () => last, onFailure: (error) => (error as Error).message })
  )
})

it.live("prepares the tables as the owner if the owner has a URL of its own, and otherwise as the nodes' role", () =>
  Effect.gen(function* () {
    const url = Redacted.value(yield* emptyDatabase)
    const ready = `the tables are ready: migration ${Migrations.newestName}`
    const closed = "postgres://nodes@127.0.0.1:1/venue"
    assert.strictEqual(yield* migrate({ VENUE_DATABASE_URL: closed, VENUE_MIGRATION_DATABASE_URL: url }), ready)
    // An empty secret file of compose or Kubernetes.
    assert.strictEqual(yield* migrate({ VENUE_DATABASE_URL: url, VENUE_MIGRATION_DATABASE_URL: "" }), ready)
    assert.strictEqual(yield* migrate({}), "VENUE_DATABASE_URL: expected a value, because the setting has no default")
  }).pipe(Effect.scoped)
)
