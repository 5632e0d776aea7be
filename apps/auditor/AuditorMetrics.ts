/** Metrics that the auditor provides: its audits, and figures of the database, which only the auditor queries. */
import { release } from "@venue/api/Release"
import { decimalOfMoney } from "@venue/domain/Decimal"
import type { RailAudit } from "@venue/storage/audit/RailAudits"
import * as Money from "@venue/telemetry/catalogue/Money"
import * as Nodes from "@venue/telemetry/catalogue/Nodes"
import * as Storage from "@venue/telemetry/catalogue/Storage"
import * as Cached from "@venue/telemetry/Cached"
import type { Definition, Labels } from "@venue/telemetry/Definition"
import * as Meter from "@venue/telemetry/Meter"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as NodeMetrics from "../process/NodeMetrics.ts"
import * as ProcessMetrics from "../process/ProcessMetrics.ts"
import type { Auditing } from "./Auditing.ts"
import * as DatabaseFigures from "./DatabaseFigures.ts"

export const collect = Effect.fnUntraced(function* (auditing: Auditing) {
  const isReady = () => auditing.reason() === undefined
  yield* ProcessMetrics.collect({ kind: "auditor", name: "auditor", release, isReady })
  yield* NodeMetrics.collectAudits
  yield* collectRails(auditing)
  yield* collectDatabase
})

const collectRails = Effect.fnUntraced(function* ({ rails }: Auditing) {
  const ofRails = (definition: Definition<"rail", "gauge">, value: (rail: RailAudit) => number) =>
    Meter.collect(definition, () => rails().map((rail) => [{ rail: rail.rail }, value(rail)] as const))
  yield* ofRails(Money.railDifference, ({ amount, books }) => decimalOfMoney(amount - books))
  yield* ofRails(Money.railDifferenceReports, ({ times }) => times)
  yield* ofRails(Money.railUncredited, ({ uncredited }) => decimalOfMoney(uncredited))
})

/** One set of queries at most every 15 s serves all scrapes. While the database is away, these metrics are absent. */
const collectDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const figures = yield* Cached.make(DatabaseFigures.read(sql), { everyMillis: 15_000, keptMillis: 60_000 })
  const each = <Label extends string>(
    definition: Definition<Label, "gauge">,
    read: (figures: DatabaseFigures.DatabaseFigures) => ReadonlyArray<readonly [Labels<Label>, number]>
  ) =>
    Meter.collect(definition, () => {
      const known = figures()
      return known === undefined ? [] : read(known)
    })
  yield* Meter.collectOne(Storage.databaseReachable, () => Meter.flag(figures() !== undefined))
  yield* each(Storage.journalBytes, ({ sizes }) => [[{}, sizes.journalBytes]])
  yield* each(Storage.databaseBytes, ({ sizes }) => [[{}, sizes.databaseBytes]])
  yield* each(Storage.databaseConnectionsMax, ({ sizes }) => [[{}, sizes.maxConnections]])
  yield* each(Storage.databaseConnections, ({ connections }) =>
    connections.map(({ count, node, pool, state }) => [{ node, pool, state }, count])
  )
  yield* each(Storage.replicas, ({ replicas }) => [[{}, replicas.count]])
  yield* each(Storage.replicaLag, ({ replicas: { lagSeconds } }) => (lagSeconds === null ? [] : [[{}, lagSeconds]]))
  yield* each(Nodes.operatorTokenExpiry, ({ operators: { nextExpirySeconds } }) =>
    nextExpirySeconds === null ? [] : [[{}, nextExpirySeconds]]
  )
  yield* each(Money.withdrawals, ({ withdrawals }) =>
    withdrawals.map(({ count, rail, state }) => [{ rail, state }, count])
  )
  yield* each(Money.withdrawalAge, ({ withdrawals }) =>
    withdrawals.map(({ oldestSeconds, rail, state }) => [{ rail, state }, oldestSeconds])
  )
  yield* each(Money.uncovered, ({ uncoveredUsd }) => [[{}, uncoveredUsd]])
  yield* each(Money.railUnavailable, ({ rails }) =>
    rails.map(({ rail, unavailableSeconds }) => [{ rail }, unavailableSeconds])
  )
  yield* each(Money.railScanAge, ({ rails }) =>
    rails.flatMap(({ rail, scanSeconds }) => (scanSeconds === null ? [] : [[{ rail }, scanSeconds] as const]))
  )
  yield* each(Money.webhooks, ({ webhooks: { disabled, waiting } }) => [
    [{ state: "waiting" }, waiting],
    [{ state: "disabled" }, disabled]
  ])
  yield* each(Nodes.lastSeen, ({ nodes }) =>
    nodes.map(({ kind, name, release, seenSeconds }) => [{ node: name, kind, release }, seenSeconds])
  )
})
