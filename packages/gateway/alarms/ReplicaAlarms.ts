/** Alarms for replicas of the database that are absent or behind. */
import type { Replica } from "@venue/storage/alarms/DatabaseState"
import { Context } from "effect"
import { type Condition, reading } from "./AlarmSource.ts"

/** Number of replicas that must stream from the database; 0 disables these alarms. */
export const ExpectedReplicas = Context.Reference<number>("@venue/gateway/alarms/ExpectedReplicas", {
  defaultValue: () => 0
})

export const of = (expected: number, replicas: ReadonlyArray<Replica>) => {
  if (expected === 0) return reading("replicas", [])
  // Without the right to see its state, a connected replica counts as streaming.
  const streaming = replicas.filter(({ state }) => state === null || state === "streaming")
  const absent: Condition = {
    kind: "REPLICA_ABSENT",
    symbol: null,
    since: null,
    reason: `${streaming.length} of ${expected} expected replicas stream from the database. Start the missing replicas, or lower VENUE_EXPECTED_REPLICAS.`
  }
  return reading("replicas", [...(streaming.length < expected ? [absent] : []), ...streaming.flatMap(behind)])
}

const behind = ({ behindBytes, behindMillis, name, state }: Replica): ReadonlyArray<Condition> => {
  const about = { kind: "REPLICA_BEHIND", symbol: null, since: null, replica: name } as const
  if (state === null)
    return [
      {
        ...about,
        reason: `The delay of replica ${name} is unknown, because the venue's database role cannot see it. Grant it pg_monitor.`
      }
    ]
  const isBehind = (behindBytes ?? 0) > maxBytes || (behindMillis ?? 0) > maxMillis
  return isBehind
    ? [
        {
          ...about,
          reason: `Replica ${name} has not replayed ${Math.round((behindBytes ?? 0) / mebibyte)} MiB, and is ${Math.round((behindMillis ?? 0) / 1_000)} s behind; the limits are ${maxBytes / mebibyte} MiB and ${maxMillis / 1_000} s.`
        }
      ]
    : []
}

const mebibyte = 1_048_576
const maxBytes = 64 * mebibyte
const maxMillis = 30_000
