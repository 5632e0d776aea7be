/** Auditor process. Reads a venue's whole database and records every difference that it detects. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { VenueModeActions } from "@venue/auth/access/VenueModeActions"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import { MigrationProgress } from "@venue/postgres/MigrationProgress"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit as AuditLog } from "@venue/storage/access/Audit"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import { RailAudits } from "@venue/storage/audit/RailAudits"
import { Listings } from "@venue/storage/listing/Listings"
import { Duration, Effect, Layer, type Redacted } from "effect"
import * as HealthServer from "../process/HealthServer.ts"
import * as NodeLog from "../process/NodeLog.ts"
import * as Readiness from "../process/Readiness.ts"
import { ArchivePlace } from "./ArchivedReading.ts"
import * as Auditing from "./Auditing.ts"
import * as AuditorMetrics from "./AuditorMetrics.ts"
import * as AuditorSettings from "./AuditorSettings.ts"
import * as Passes from "./Passes.ts"

/**
 * Runs the auditor until it is stopped. Exits by itself only if it cannot read the data, with exit code 1. The argument
 * `--full` makes it read the whole journal first.
 */
export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const { archiveDir, databaseUrl, fullPassDays, healthHost, healthPort, isFull } = yield* AuditorSettings.load
  NodeLog.identify("auditor")
  const readiness = yield* Readiness.make
  const { url: health } = yield* HealthServer.openWithMetrics(healthHost, healthPort, readiness.reason)
  yield* Effect.gen(function* () {
    const auditing = yield* Auditing.make(
      yield* Passes.begin(isFull || args.includes("--full")),
      Duration.toMillis(Duration.days(fullPassDays))
    )
    yield* AuditorMetrics.collect(auditing)
    readiness.follow(auditing.reason)
    yield* NodeLog.announce(`auditor started, pid ${process.pid}, health ${health}`)
    yield* auditing.forever
  }).pipe(
    Effect.provide(services(databaseUrl)),
    Effect.provideService(MigrationProgress, readiness.migrating),
    Effect.provideService(ArchivePlace, archiveDir)
  )
})

const services = (url: Redacted.Redacted) =>
  VenueModeActions.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        AuditLog.layer,
        DeskReports.layer,
        Listings.layer,
        RailAudits.layer,
        Transaction.layer,
        VenueModes.layer
      )
    ),
    Layer.provideMerge(DatabaseClock.layer),
    Layer.provideMerge(
      DatabaseClient.layer({
        url,
        applicationName: "auditor",
        maxConnections: 4,
        connectTimeout: "3 seconds",
        startupParameters: { idle_in_transaction_session_timeout: "10min" }
      })
    )
  )
