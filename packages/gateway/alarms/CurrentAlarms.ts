/** All current alarms, read from the entities, the tables and this node itself. Never fails. */
import type { Alarm, Kind } from "@venue/api/admin/Alarms"
import { instant } from "@venue/api/Digits"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import { DatabaseState } from "@venue/storage/alarms/DatabaseState"
import { Cause, Clock, Effect, Option } from "effect"
import { type Reading, reading, silence } from "./AlarmSource.ts"
import * as MarketAlarms from "./MarketAlarms.ts"
import * as NodeAlarms from "./NodeAlarms.ts"
import * as PriceSourceAlarms from "./PriceSourceAlarms.ts"
import * as RecoveryAlarms from "./RecoveryAlarms.ts"
import * as ReplicaAlarms from "./ReplicaAlarms.ts"
import * as TokenAlarms from "./TokenAlarms.ts"
import * as TreasuryAlarms from "./TreasuryAlarms.ts"
import * as VenueModeAlarms from "./VenueModeAlarms.ts"

export interface CurrentAlarms {
  readonly readings: ReadonlyArray<Reading>
  /** Kinds that could not be read, because the database did not answer. */
  readonly unknownKinds: ReadonlyArray<Kind>
  readonly isDatabaseOut: boolean
}

/** Alarms that are read from tables. */
interface Stored {
  readonly source: string
  readonly kinds: ReadonlyArray<Kind>
  readonly read: Effect.Effect<ReadonlyArray<Reading>, DatabaseUnavailable>
}

/** Returns an effect that reads all sources within 6 s. */
export const make = Effect.gen(function* () {
  const ofEntities = yield* MarketAlarms.make
  const ofThisNode = yield* NodeAlarms.makeOwn
  const outage = yield* DatabaseOutage.DatabaseOutage
  const expected = yield* ReplicaAlarms.ExpectedReplicas
  const { replicas } = yield* DatabaseState

  const sources: ReadonlyArray<Stored> = [
    { source: "recovery", kinds: ["BEHIND_WITNESS"], read: yield* RecoveryAlarms.make },
    {
      source: "venue",
      kinds: ["HALTED", "CANCEL_ONLY", "WITHDRAWALS_BLOCKED", "AUDIT_LATE"],
      read: yield* VenueModeAlarms.make
    },
    {
      source: "replicas",
      kinds: ["REPLICA_ABSENT", "REPLICA_BEHIND"],
      read: Effect.map(replicas, (all) => [ReplicaAlarms.of(expected, all)])
    },
    { source: "nodes", kinds: ["NODE_LOST"], read: yield* NodeAlarms.makeLost },
    { source: "reports", kinds: ["DISK_FULL", "CERTIFICATE_EXPIRING"], read: yield* NodeAlarms.makeOthers },
    { source: "tokens", kinds: ["TOKEN_EXPIRING"], read: yield* TokenAlarms.make },
    { source: "price-sources", kinds: ["PRICE_SOURCE_DEAD"], read: yield* PriceSourceAlarms.make },
    {
      source: "treasury",
      kinds: ["RAIL_UNAVAILABLE", "WITHDRAWAL_HELD", "WITHDRAWAL_NOT_SIGNED", "WITHDRAWAL_STUCK", "DEPOSIT_UNMATCHED"],
      read: yield* TreasuryAlarms.make
    }
  ]
  /** None if the database does not answer. A query that hangs is given up, so that the list is never late. */
  const answerOf = ({ read }: Stored) =>
    GivenUp.afterByMachineClock(answersWithin)(read).pipe(
      orUnavailable,
      Effect.asSome,
      Effect.catchTag("DatabaseUnavailable", ({ cause }) =>
        Effect.as(DatabaseOutage.report(Cause.fail(cause), Effect.void), Option.none())
      )
    )
  const ofTables = Effect.forEach(sources, answerOf, { concurrency: "unbounded" })

  return Effect.gen(function* () {
    const [own, entities, answers] = yield* Effect.all([ofThisNode, ofEntities, ofTables], {
      concurrency: "unbounded"
    })
    const missing = sources.filter((_, index) => Option.isNone(answers[index]!))
    const unknownKinds = missing.flatMap(({ kinds }) => kinds)
    const now = yield* Clock.currentTimeMillis
    const since = instant(outage.begunAtMillis() ?? now)
    const reason = `The database does not answer this node. Unknown until it answers: ${unknownKinds.join(", ")}.`
    const database = reading(
      "database",
      missing.length === 0 ? [] : [{ kind: "DATABASE_OUT", symbol: null, since, reason }]
    )
    const [recovery, venue, ...others] = sources.map(({ source }, index): ReadonlyArray<Reading> =>
      Option.getOrElse(answers[index]!, () => [silence(source)])
    )
    return {
      readings: [database, ...recovery!, ...venue!, ...own, ...entities, ...others.flat()],
      unknownKinds,
      isDatabaseOut: missing.length > 0
    } satisfies CurrentAlarms
  })
})

/** Returns all alarms of the readings. */
export const alarmsOf = (readings: ReadonlyArray<Reading>): ReadonlyArray<Alarm> =>
  readings.flatMap(({ alarms = [] }) => alarms.map(({ alarm }) => alarm))

const answersWithin = "3 seconds"
