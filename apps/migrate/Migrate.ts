/** `npm run migrate`: runs the migrations that the database lacks, one line for each step. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { MigrationProgress } from "@venue/postgres/MigrationProgress"
import * as Migrations from "@venue/postgres/Migrations"
import { Console, Effect, Layer } from "effect"
import { ownerDatabaseUrl } from "../process/DatabaseSettings.ts"
import * as Readiness from "../process/Readiness.ts"
import * as ToolSettings from "../process/ToolSettings.ts"

export const run = Effect.gen(function* () {
  const url = yield* ToolSettings.read(ownerDatabaseUrl)
  yield* Layer.build(
    Migrations.layer.pipe(Layer.provide(DatabaseClient.layer({ url, applicationName: "migrate", maxConnections: 1 })))
  ).pipe(Effect.provideService(MigrationProgress, (step) => Console.log(Readiness.textOf(step))))
  yield* Console.log(`the tables are ready: migration ${Migrations.newestName}`)
})
