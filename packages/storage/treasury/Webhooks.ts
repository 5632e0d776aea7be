/** Users' webhook endpoints for deposit and withdrawal events, with secrets sealed at rest. */
import { maxWebhooks } from "@venue/domain/Webhook"
import type { UserId } from "@venue/domain/UserId"
import { storable } from "@venue/postgres/Column"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Migrations from "@venue/postgres/Migrations"
import { Seal } from "@venue/postgres/Seal"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { WebhookMemory } from "./WebhookMemory.ts"
import {
  deliveries,
  maxShownDeliveries,
  messages,
  nameOf,
  type NewWebhook,
  shown,
  TooManyWebhooks,
  webhooks,
  type WebhooksShape
} from "./WebhookTable.ts"
import { ends, takes } from "./WebhookTries.ts"

export type { NewWebhook, ShownWebhook, Taken, Webhook } from "./WebhookTable.ts"

const counts = Table.selection({ count: { schema: Schema.Number, expression: "count(*)::integer" } })
const events = messages.pick("event")

export class Webhooks extends Context.Service<Webhooks, WebhooksShape>()("@venue/storage/treasury/Webhooks") {
  static readonly layer: Layer.Layer<Webhooks, MigrationError | SqlError, SqlClient.SqlClient | Seal> = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const seals = yield* Seal
      return Webhooks.of({ ...endpoints(sql, seals), ...takes(sql, seals), ...ends(sql) })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Webhooks> = Layer.effect(
    Webhooks,
    Effect.map(WebhookMemory, (memory) => Webhooks.of(memory))
  ).pipe(Layer.provide(WebhookMemory.layer))
}

const endpoints = (
  sql: SqlClient.SqlClient,
  { seal }: Seal["Service"]
): Pick<WebhooksShape, "add" | "ofUser" | "remove"> => ({
  add: Effect.fn("Webhooks.add")(
    function* ({ secret, ...webhook }: NewWebhook) {
      const userId = storable(webhook.userId)
      // Locks the user's row, because concurrent requests could together exceed the limit.
      yield* sql`select 1 from venue_user where user_id = ${userId} for no key update`
      const [own] = yield* counts.all(sql`select ${counts.columns} from webhook where user_id = ${userId}`)
      if (own!.count >= maxWebhooks) return yield* new TooManyWebhooks({ limit: maxWebhooks })
      const createdAtMillis = yield* Clock.currentTimeMillis
      const sealedSecret = seal(secret, nameOf(webhook.webhookId))
      yield* sql`insert into webhook ${webhooks.values({ ...webhook, sealedSecret, createdAtMillis })}`
      return { ...webhook, createdAtMillis, disabledAtMillis: null, disabledReason: null }
    },
    sql.withTransaction,
    orUnavailable
  ),
  ofUser: Effect.fn("Webhooks.ofUser")(function* (userId: UserId) {
    const own = yield* shown.all(sql`
      select ${shown.columns} from webhook where user_id = ${storable(userId)} order by created_at, webhook_id`)
    return yield* Effect.forEach(own, (webhook) =>
      Effect.map(newest(sql, webhook.webhookId), (deliveries) => ({ ...webhook, deliveries }))
    )
  }, orUnavailable),
  remove: Effect.fn("Webhooks.remove")(
    function* (userId: UserId, webhookId: string) {
      const removed = yield* sql`
        delete from webhook where user_id = ${storable(userId)} and webhook_id = ${storable(webhookId)} returning 1`
      if (removed.length === 0) return false
      yield* sql`delete from webhook_delivery where webhook_id = ${storable(webhookId)}`
      return true
    },
    sql.withTransaction,
    orUnavailable
  )
})

const newest = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, webhookId: string) {
  const rows = yield* sql<object>`
    select ${deliveries.columns}, ${events.columns} from webhook_delivery join webhook_message using (message_id)
    where webhook_delivery.webhook_id = ${webhookId}
    order by webhook_delivery.due_at desc, webhook_delivery.message_id limit ${maxShownDeliveries}`
  const each = Effect.succeed(rows)
  const [ofTry, ofMessage] = yield* Effect.all([deliveries.all(each), events.all(each)])
  return ofTry.map((row, at) => ({ ...row, ...ofMessage[at]! }))
})
