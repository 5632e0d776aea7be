/** Tests of the alarms about replicas of the database. */
import type { Replica } from "@venue/storage/alarms/DatabaseState"
import * as CurrentAlarms from "@venue/gateway/alarms/CurrentAlarms"
import * as ReplicaAlarms from "@venue/gateway/alarms/ReplicaAlarms"
import { expect, it } from "vitest"

const healthy: Replica = { name: "standby-1", state: "streaming", behindBytes: 1_000, behindMillis: null }

const alarms = (expected: number, ...replicas: ReadonlyArray<Replica>) =>
  CurrentAlarms.alarmsOf([ReplicaAlarms.of(expected, replicas)]).map(({ kind, reason }) => `${kind} ${reason}`)

it("checks no replica if none is expected", () => {
  expect(alarms(0, { ...healthy, behindMillis: 3_600_000 })).toEqual([])
})

it("raises an alarm if fewer replicas stream than expected", () => {
  expect(alarms(1, healthy)).toEqual([])
  expect(alarms(2, healthy, { ...healthy, name: "standby-2", state: "catchup" })).toEqual([
    "REPLICA_ABSENT 1 of 2 expected replicas stream from the database. Start the missing replicas, or lower VENUE_EXPECTED_REPLICAS."
  ])
})

it("raises an alarm for a replica that is more than 30 s or 64 MiB behind", () => {
  expect(alarms(1, { ...healthy, behindMillis: 30_000 })).toEqual([])
  expect(alarms(1, { ...healthy, behindMillis: 31_000 })).toEqual([
    "REPLICA_BEHIND Replica standby-1 has not replayed 0 MiB, and is 31 s behind; the limits are 64 MiB and 30 s."
  ])
  expect(alarms(1, { ...healthy, behindBytes: 65 * 1_048_576 })).toEqual([
    "REPLICA_BEHIND Replica standby-1 has not replayed 65 MiB, and is 0 s behind; the limits are 64 MiB and 30 s."
  ])
})

it("states the missing grant if the database hides the state of a replica", () => {
  const hidden = { name: "standby-1", state: null, behindBytes: null, behindMillis: null }
  expect(alarms(1, hidden)).toEqual([
    "REPLICA_BEHIND The delay of replica standby-1 is unknown, because the venue's database role cannot see it. Grant it pg_monitor."
  ])
})
