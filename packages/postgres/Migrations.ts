/** The tables, brought up to date when the layer is built; nodes that start together take turns. */
import { Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./AdvisoryLocks.ts"
import * as ConcurrentIndexes from "./ConcurrentIndexes.ts"
import { journal } from "./migrations/0001_journal.ts"
import { readTables } from "./migrations/0002_read_tables.ts"
import { access } from "./migrations/0003_access.ts"
import { founding } from "./migrations/0004_founding.ts"
import { endedOrder } from "./migrations/0005_ended_order.ts"
import { revocations } from "./migrations/0006_revocations.ts"
import { sessions } from "./migrations/0007_sessions.ts"
import { secondFactor } from "./migrations/0008_second_factor.ts"
import { oauth } from "./migrations/0009_oauth.ts"
import { keys } from "./migrations/0010_keys.ts"
import { onboarding } from "./migrations/0011_onboarding.ts"
import { revocationOrder } from "./migrations/0012_revocation_order.ts"
import { snapshotPieces } from "./migrations/0013_snapshot_pieces.ts"
import { freshSignIn } from "./migrations/0014_fresh_sign_in.ts"
import { projectionGroups } from "./migrations/0015_projection_groups.ts"
import { dailyVolume } from "./migrations/0016_daily_volume.ts"
import { futuresReference } from "./migrations/0017_futures_reference.ts"
import { listing } from "./migrations/0018_listing.ts"
import { twap } from "./migrations/0019_twap.ts"
import { node } from "./migrations/0020_node.ts"
import { signingKeys } from "./migrations/0021_signing_keys.ts"
import { wakeUpDesk } from "./migrations/0022_wake_up_desk.ts"
import { signInAttempts } from "./migrations/0023_sign_in_attempts.ts"
import { marketData } from "./migrations/0024_market_data.ts"
import { settlementCalendar } from "./migrations/0025_settlement_calendar.ts"
import { historyIndexes } from "./migrations/0026_history_indexes.ts"
import { holding } from "./migrations/0027_holding.ts"
import { referrals } from "./migrations/0028_referrals.ts"
import { depositAddress } from "./migrations/0029_deposit_address.ts"
import { bankAccount } from "./migrations/0030_bank_account.ts"
import { operator } from "./migrations/0031_operator.ts"
import { venueMode } from "./migrations/0032_venue_mode.ts"
import { treasury } from "./migrations/0033_treasury.ts"
import { sweep } from "./migrations/0034_sweep.ts"
import { withdrawalDecision } from "./migrations/0035_withdrawal_decision.ts"
import { webhook } from "./migrations/0036_webhook.ts"
import { simulatedRail } from "./migrations/0037_simulated_rail.ts"
import { audit } from "./migrations/0038_audit.ts"
import { withdrawalSigning } from "./migrations/0039_withdrawal_signing.ts"
import { railHolding } from "./migrations/0040_rail_holding.ts"
import { journalTransaction } from "./migrations/0041_journal_transaction.ts"
import { depositReturn } from "./migrations/0042_deposit_return.ts"
import { venuePublicReason } from "./migrations/0043_venue_public_reason.ts"
import { publicProfiles } from "./migrations/0044_public_profiles.ts"
import * as Table from "./Table.ts"

/** Numbers only grow: a database that has seen one skips everything below it. */
const all = {
  "0001_journal": journal,
  "0002_read_tables": readTables,
  "0003_access": access,
  "0004_founding": founding,
  "0005_ended_order": endedOrder,
  "0006_revocations": revocations,
  "0007_sessions": sessions,
  "0008_second_factor": secondFactor,
  "0009_oauth": oauth,
  "0010_keys": keys,
  "0011_onboarding": onboarding,
  "0012_revocation_order": revocationOrder,
  "0013_snapshot_pieces": snapshotPieces,
  "0014_fresh_sign_in": freshSignIn,
  "0015_projection_groups": projectionGroups,
  "0016_daily_volume": dailyVolume,
  "0017_futures_reference": futuresReference,
  "0018_listing": listing,
  "0019_twap": twap,
  "0020_node": node,
  "0021_signing_keys": signingKeys,
  "0022_wake_up_desk": wakeUpDesk,
  "0023_sign_in_attempts": signInAttempts,
  "0024_market_data": marketData,
  "0025_settlement_calendar": settlementCalendar,
  "0026_history_indexes": historyIndexes,
  "0027_holding": holding,
  "0028_referrals": referrals,
  "0029_deposit_address": depositAddress,
  "0030_bank_account": bankAccount,
  "0031_operator": operator,
  "0032_venue_mode": venueMode,
  "0033_treasury": treasury,
  "0034_sweep": sweep,
  "0035_withdrawal_decision": withdrawalDecision,
  "0036_webhook": webhook,
  "0037_simulated_rail": simulatedRail,
  "0038_audit": audit,
  "0039_withdrawal_signing": withdrawalSigning,
  "0040_rail_holding": railHolding,
  "0041_journal_transaction": journalTransaction,
  "0042_deposit_return": depositReturn,
  "0043_venue_public_reason": venuePublicReason,
  "0044_public_profiles": publicProfiles
}

const versions = Table.selection({ version: { schema: Schema.Number, expression: "max(migration_id)" } })

const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_advisory_xact_lock(${advisoryLocks.migration})`
  yield* Migrator.make({})({ loader: Migrator.fromRecord(all), table: "migration" })
  const [latest] = yield* versions.all(sql`select ${versions.columns} from migration`)
  if (latest!.version > known) {
    const message = `the tables are of version ${latest!.version} and this program knows ${known} at most: start the program that made them, or a newer one`
    return yield* new MigrationError({ kind: "BadState", message })
  }
})

/** What a newer program has made of the tables may mean something else. */
const known = Math.max(...Object.keys(all).map((name) => Number.parseInt(name, 10)))

/** Provides nothing: a layer that needs tables provides this to itself, and shared as one value it runs once. */
export const layer: Layer.Layer<never, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.andThen(sql.withTransaction(migrate), ConcurrentIndexes.build))
)
