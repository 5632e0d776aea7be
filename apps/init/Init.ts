/** `npm run init`: creates the tables and the venue in an empty database. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import { Config, Console, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Agreed from "../process/Agreed.ts"
import { ownerDatabaseUrl } from "../process/DatabaseSettings.ts"
import * as FirstStart from "../process/FirstStart.ts"
import * as SecretKeys from "../process/SecretKeys.ts"
import { broken, refuseAll } from "../process/SettingRefused.ts"
import { secretKey, shared } from "../process/Settings.ts"
import * as ToolSettings from "../process/ToolSettings.ts"

export class VenueExists extends Schema.TaggedError<VenueExists>()("VenueExists", { database: Schema.String }) {
  override get message(): string {
    return `the database ${this.database} already holds a venue; nothing was changed`
  }
}

const own = Config.all({ url: ownerDatabaseUrl, secretKey, desks: shared.desks })

export const run = Effect.gen(function* () {
  const settings = yield* ToolSettings.read(own)
  const { url } = settings
  const keys = SecretKeys.of(settings.secretKey)
  yield* refuseAll(broken(SecretKeys.rulesOf(keys)))
  const database = FirstStart.nameOf(url)
  if (yield* FirstStart.isFounded(url)) return yield* new VenueExists({ database })
  const fixed = Agreed.fixed(settings, keys[0])
  const tables = yield* Effect.provide(
    countTables,
    FixedSettings.layerShared(fixed).pipe(
      Layer.provideMerge(DatabaseClient.layer({ url, applicationName: "init", maxConnections: 2 }))
    )
  )
  yield* Console.log(`created a venue in the database ${database}: ${tables} tables`)
  for (const [name, value] of Object.entries(fixed)) yield* Console.log(`  fixed from now on: ${name} is ${value}`)
  yield* Console.log("back up VENUE_SECRET_KEY apart from the database, then start the nodes")
})

const countTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from pg_tables where schemaname = current_schema()`).length
})
