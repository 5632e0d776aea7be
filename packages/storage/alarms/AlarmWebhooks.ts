/** Operator webhooks, with secrets sealed at rest. */
import { maxAlarmWebhooks } from "@venue/domain/AlarmWebhook"
import { bytea, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Seal, unsealed } from "@venue/postgres/Seal"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, type Redacted, Result, Schema, Struct } from "effect"
import { AlarmMessages } from "./AlarmMessages.ts"

const webhookTable = Table.make("alarm_webhook", {
  /** UUID. */
  webhookId: text,
  url: text,
  sealedSecret: bytea,
  /** Name of the operator who registered the URL. */
  createdBy: text,
  createdAtMillis: timestamptz,
  deliveredAtMillis: orNull(timestamptz),
  /** Time since which every attempt has failed; null after a success. */
  failingSinceMillis: orNull(timestamptz),
  /** Reason of the last failure; null after a success. */
  fault: orNull(text)
})
type Row = Table.Row<typeof webhookTable>

/** A webhook without its secret. */
export type AlarmWebhook = Omit<Row, "sealedSecret">

export interface NewAlarmWebhook extends Pick<Row, "webhookId" | "url" | "createdBy"> {
  readonly secret: Redacted.Redacted
}

/** A webhook to which messages are sent. */
export interface AlarmEndpoint extends Pick<Row, "webhookId" | "url"> {
  readonly secret: Redacted.Redacted
}

export class TooManyAlarmWebhooks extends Schema.TaggedError<TooManyAlarmWebhooks>()("TooManyAlarmWebhooks", {
  limit: Schema.Number
}) {}

export class AlarmWebhooks extends Context.Service<
  AlarmWebhooks,
  {
    readonly add: (webhook: NewAlarmWebhook) => Effect.Effect<AlarmWebhook, TooManyAlarmWebhooks | DatabaseUnavailable>
    /** Returns all webhooks, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<AlarmWebhook>, DatabaseUnavailable>
    /** Removes a webhook and its waiting messages; returns false if no such webhook exists. */
    readonly remove: (webhookId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Returns the endpoints with their secrets. An endpoint whose secret cannot be unsealed is left out, with a fault. */
    readonly endpoints: Effect.Effect<ReadonlyArray<AlarmEndpoint>, DatabaseUnavailable>
    /** Records the outcome of an attempt; `fault` is null after a success. */
    readonly attempted: (webhookId: string, fault: string | null) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/alarms/AlarmWebhooks") {
  static readonly layer = Store.layer(AlarmWebhooks, () => Effect.flatMap(Seal, make)).pipe(
    Layer.provide(AlarmMessages.layer)
  )
  static readonly layerMemory = Store.layerMemory(AlarmWebhooks, () => make(unsealed)).pipe(
    Layer.provide(AlarmMessages.layerMemory)
  )
}

const make = Effect.fnUntraced(function* ({ open, seal }: Seal["Service"]) {
  const webhooks = yield* Store.make(webhookTable, {
    key: ["webhookId"],
    order: { createdAtMillis: "asc", webhookId: "asc" }
  })
  const waiting = yield* AlarmMessages
  /** Removes messages that were stored while their webhook was being removed. */
  const removeLeft = Effect.gen(function* () {
    const known = new Set((yield* webhooks.list({})).map(({ webhookId }) => webhookId))
    const left = new Set((yield* waiting.list({})).map(({ webhookId }) => webhookId)).difference(known)
    for (const webhookId of left) yield* waiting.remove({ webhookId })
  })
  return AlarmWebhooks.of({
    add: Effect.fn("AlarmWebhooks.add")(function* ({ secret, ...webhook }: NewAlarmWebhook) {
      if ((yield* webhooks.count({})) >= maxAlarmWebhooks)
        return yield* new TooManyAlarmWebhooks({ limit: maxAlarmWebhooks })
      yield* removeLeft
      const sealedSecret = seal(secret, nameOf(webhook.webhookId))
      const added = {
        ...webhook,
        createdAtMillis: yield* Clock.currentTimeMillis,
        deliveredAtMillis: null,
        failingSinceMillis: null,
        fault: null
      }
      yield* webhooks.insert({ ...added, sealedSecret })
      return added
    }),
    list: Effect.map(webhooks.list({}), (rows) => rows.map(Struct.omit(["sealedSecret"]))),
    remove: Effect.fn("AlarmWebhooks.remove")((webhookId: string) =>
      webhooks.transaction(Effect.andThen(waiting.remove({ webhookId }), webhooks.remove({ webhookId })))
    ),
    endpoints: Effect.gen(function* () {
      const opened: Array<AlarmEndpoint> = []
      for (const { fault, sealedSecret, url, webhookId } of yield* webhooks.list({})) {
        const secret = Result.try(() => open(sealedSecret, nameOf(webhookId)))
        if (Result.isSuccess(secret)) opened.push({ webhookId, url, secret: secret.success })
        else if (fault !== unreadable) yield* webhooks.update({ webhookId }, { fault: unreadable })
      }
      return opened
    }),
    attempted: Effect.fn("AlarmWebhooks.attempted")(function* (webhookId: string, fault: string | null) {
      const now = yield* Clock.currentTimeMillis
      yield* webhooks.modify({ webhookId }, (row) => {
        if (row === undefined) return undefined
        return fault === null
          ? { ...row, deliveredAtMillis: now, failingSinceMillis: null, fault }
          : { ...row, failingSinceMillis: row.failingSinceMillis ?? now, fault }
      })
    })
  })
})

const unreadable = "the secret cannot be decrypted; register the URL again and remove this entry"

/** Returns the name under which a secret is sealed; the prefix separates it from other kinds of secrets. */
export const nameOf = (webhookId: string): string => `alarm_webhook:${webhookId}`
