/** One round of pushing: reads all alarms, decides which events happened, and stores a message for every webhook. */
import { alarmMessage } from "@venue/api/admin/AlarmMessage"
import { type AlarmReading, type AlarmPush, step } from "@venue/domain/AlarmPush"
import type { AlarmMessage } from "@venue/domain/AlarmWebhook"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { AlarmPushes, StoredAlarm } from "@venue/storage/alarms/AlarmPushes"
import type { AlarmEndpoint } from "@venue/storage/alarms/AlarmWebhooks"
import { Clock, Effect } from "effect"
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { type Reading, silence } from "./AlarmSource.ts"
import type { CurrentAlarms } from "./CurrentAlarms.ts"
import { reach } from "./MarketAlarms.ts"

export const run = Effect.fnUntraced(function* (
  pushes: AlarmPushes["Service"],
  endpoints: ReadonlyArray<AlarmEndpoint>,
  { isDatabaseOut, readings }: CurrentAlarms
): Effect.fn.Return<void, DatabaseUnavailable> {
  const before = yield* pushes.tracked
  const now = yield* Clock.currentTimeMillis
  const after = step(before, (isDatabaseOut ? readings.map(withoutReach) : readings) as Readings, now)
  yield* pushes.commit({
    put: [...after.tracked.values()].filter((tracked) => !isDeepStrictEqual(before.get(tracked.alarmId), tracked)),
    removed: [...before.keys()].filter((alarmId) => !after.tracked.has(alarmId)),
    messages: after.pushes.flatMap((push) => messagesOf(push, endpoints, now))
  })
})

/** Bodies of alarms have only text and numbers. */
type Readings = ReadonlyArray<AlarmReading<StoredAlarm>>

/** Markets and desks wait for the database, so that DATABASE_OUT alone reports their silence. */
const withoutReach = (given: Reading): Reading => (given.source.startsWith(reach) ? silence(given.source) : given)

const messagesOf = (
  { event, tracked }: AlarmPush<StoredAlarm>,
  endpoints: ReadonlyArray<AlarmEndpoint>,
  atMillis: number
): ReadonlyArray<AlarmMessage> => {
  const { alarmId, firstAtMillis, pushes } = tracked
  const about = JSON.stringify([alarmId, firstAtMillis, event, pushes])
  const messageId = `msg_${createHash("sha256").update(about).digest("hex").slice(0, 32)}`
  const body = alarmMessage(event, tracked, atMillis)
  return endpoints.map(({ webhookId }) => ({
    messageId,
    webhookId,
    body,
    atMillis,
    attempts: 0,
    dueAtMillis: atMillis
  }))
}
