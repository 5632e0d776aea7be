/** Alarms that were pushed to operators, messages that wait for delivery, and the lease of the node that sends them. */
import type { TrackedAlarm, TrackedAlarms } from "@venue/domain/AlarmPush"
import { type AlarmMessage, maxWaiting } from "@venue/domain/AlarmWebhook"
import { integer, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { AlarmMessages } from "./AlarmMessages.ts"

/** Body of an alarm on the wire; its members are those of the operator interface. */
export type StoredAlarm = { readonly [member: string]: string | number | null }
const StoredAlarm = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Null]))

const senderTable = Table.make("alarm_sender", { role: text, holder: text, heldUntilMillis: timestamptz })

const trackedTable = Table.make("tracked_alarm", {
  alarmId: text,
  source: text,
  alarm: of("jsonb", StoredAlarm),
  firstAtMillis: timestamptz,
  pushes: integer,
  pushedAtMillis: orNull(timestamptz),
  absentSinceMillis: orNull(timestamptz)
})

/** Changes that are stored in one transaction. */
export interface PushChanges {
  readonly put: ReadonlyArray<TrackedAlarm<StoredAlarm>>
  /** Ids of alarms that are no longer tracked. */
  readonly removed: ReadonlyArray<string>
  /** Messages to send. A message that already waits is kept. */
  readonly messages: ReadonlyArray<AlarmMessage>
}

export class AlarmPushes extends Context.Service<
  AlarmPushes,
  {
    /** Takes or extends the lease unless another node holds it. Returns the holder's name. */
    readonly lease: (node: string) => Effect.Effect<string, DatabaseUnavailable>
    /** Ends the node's lease. */
    readonly release: (node: string) => Effect.Effect<void, DatabaseUnavailable>
    readonly tracked: Effect.Effect<TrackedAlarms<StoredAlarm>, DatabaseUnavailable>
    /** Stores changes. Drops the oldest messages of a webhook for which more than `maxWaiting` would wait. */
    readonly commit: (changes: PushChanges) => Effect.Effect<void, DatabaseUnavailable>
    /** Returns all waiting messages, the first due first. */
    readonly waiting: Effect.Effect<ReadonlyArray<AlarmMessage>, DatabaseUnavailable>
    /** Returns the message of the webhook that has been due for longest. */
    readonly nextDue: (webhookId: string) => Effect.Effect<Option.Option<AlarmMessage>, DatabaseUnavailable>
    /** Replaces a message after a failed attempt. Does nothing if the message was removed. */
    readonly postpone: (message: AlarmMessage) => Effect.Effect<void, DatabaseUnavailable>
    /** Removes a message that was delivered or is given up. */
    readonly remove: (message: AlarmMessage) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/alarms/AlarmPushes") {
  static readonly layer = Store.layer(AlarmPushes, () => make).pipe(Layer.provide(AlarmMessages.layer))
  static readonly layerMemory = Store.layerMemory(AlarmPushes, () => make).pipe(
    Layer.provide(AlarmMessages.layerMemory)
  )
}

/** Length of a lease in milliseconds: longer than two rounds of its holder while the database is slow. */
export const leaseMillis = 20_000

const make = Effect.gen(function* () {
  const senders = yield* Store.make(senderTable, { key: ["role"] })
  const alarms = yield* Store.make(trackedTable, { key: ["alarmId"] })
  const stored = yield* AlarmMessages

  const enqueue = Effect.fnUntraced(function* (added: ReadonlyArray<AlarmMessage>) {
    for (const message of added) yield* stored.insert(message)
    for (const webhookId of new Set(added.map((message) => message.webhookId))) {
      const excess = (yield* stored.count({ webhookId })) - maxWaiting
      if (excess <= 0) continue
      const all = yield* stored.list({ webhookId })
      const oldest = all.toSorted((a, b) => a.atMillis - b.atMillis).slice(0, excess)
      for (const { messageId } of oldest) yield* stored.remove({ webhookId, messageId })
    }
  })

  return AlarmPushes.of({
    lease: Effect.fn("AlarmPushes.lease")(function* (node: string) {
      const now = yield* Clock.currentTimeMillis
      const own = { role: sender, holder: node, heldUntilMillis: now + leaseMillis }
      const taken = yield* senders.modify({ role: sender }, (row) =>
        row === undefined || row.holder === node || row.heldUntilMillis <= now ? own : undefined
      )
      if (Option.isSome(taken)) return node
      return Option.match(yield* senders.find({ role: sender }), { onNone: () => node, onSome: ({ holder }) => holder })
    }),
    release: Effect.fn("AlarmPushes.release")((node: string) =>
      Effect.asVoid(senders.remove({ role: sender, holder: node }))
    ),
    tracked: Effect.map(alarms.list({}), (rows) => new Map(rows.map((row) => [row.alarmId, row]))),
    commit: Effect.fn("AlarmPushes.commit")(({ messages: added, put, removed }: PushChanges) =>
      alarms.transaction(
        Effect.gen(function* () {
          for (const row of put) yield* alarms.put(row)
          for (const alarmId of removed) yield* alarms.remove({ alarmId })
          yield* enqueue(added)
        })
      )
    ),
    waiting: stored.list({}),
    nextDue: Effect.fn("AlarmPushes.nextDue")(function* (webhookId: string) {
      const now = yield* Clock.currentTimeMillis
      return Option.fromNullishOr((yield* stored.list({ webhookId, dueAtMillis: Store.atMost(now) }, 1))[0])
    }),
    postpone: ({ attempts, dueAtMillis, messageId, webhookId }) =>
      Effect.asVoid(stored.update({ webhookId, messageId }, { attempts, dueAtMillis })),
    remove: ({ messageId, webhookId }) => Effect.asVoid(stored.remove({ webhookId, messageId }))
  })
})

const sender = "sender"
