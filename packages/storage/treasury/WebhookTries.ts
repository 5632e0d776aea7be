/** Delivery attempts of webhook messages on Postgres. Two concurrent callers never lease the same endpoint. */
import { webhooksKeptMillis } from "@venue/domain/Webhook"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { Seal } from "@venue/postgres/Seal"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import {
  afterTry,
  deliveries,
  droppedFor,
  maxPruned,
  messages,
  nameOf,
  type Taken,
  takenForMillis,
  webhooks,
  type WebhooksShape
} from "./WebhookTable.ts"

const ids = webhooks.pick("webhookId")
const failing = webhooks.pick("failingSinceMillis")
const sendable = webhooks.pick("url", "sealedSecret")
const tried = deliveries.pick("webhookId", "attempt")

export const takes = (sql: SqlClient.SqlClient, { open }: Seal["Service"]): Pick<WebhooksShape, "take"> => {
  const takeEndpoints = (limit: number, now: number, untilMillis: number) =>
    ids.all(sql`
      with due as (
        select webhook_id, min(due_at) as due_at from webhook_delivery
        where outcome = 'PENDING' and due_at <= ${new Date(now)} group by webhook_id
      ),
      free as materialized (
        select w.webhook_id from webhook w join due using (webhook_id)
        where w.disabled_at is null and (w.taken_until is null or w.taken_until <= ${new Date(now)})
        order by w.failing_since is not null, due.due_at limit ${limit} for update of w skip locked
      )
      update webhook set taken_until = ${new Date(untilMillis)} from free where webhook.webhook_id = free.webhook_id
      returning ${ids.columns}`)

  /** Runs as a separate statement after the lease, so that it sees the previous lease holder's commits. */
  const firstDue = Effect.fnUntraced(function* (webhookIds: ReadonlyArray<string>, now: number) {
    const rows = yield* sql<object>`
      select distinct on (webhook_delivery.webhook_id) ${tried.columns}, ${messages.columns}, ${sendable.columns}
      from webhook_delivery join webhook using (webhook_id) join webhook_message using (message_id)
      where webhook_delivery.webhook_id = any(${webhookIds})
        and webhook_delivery.outcome = 'PENDING' and webhook_delivery.due_at <= ${new Date(now)}
      order by webhook_delivery.webhook_id, webhook_delivery.due_at, webhook_delivery.message_id`
    const each = Effect.succeed(rows)
    const [ofTry, ofMessage, ofWebhook] = yield* Effect.all([tried.all(each), messages.all(each), sendable.all(each)])
    return ofTry.map((row, at) => ({ ...row, message: ofMessage[at]!, ...ofWebhook[at]! }))
  })

  return {
    take: Effect.fn("Webhooks.take")(function* (limit: number) {
      const now = yield* Clock.currentTimeMillis
      const takenUntilMillis = now + takenForMillis
      const webhookIds = (yield* takeEndpoints(limit, now, takenUntilMillis)).map(({ webhookId }) => webhookId)
      if (webhookIds.length === 0) return []
      const due = yield* firstDue(webhookIds, now)
      const idle = webhookIds.filter((webhookId) => !due.some((row) => row.webhookId === webhookId))
      if (idle.length > 0) {
        yield* sql`
          update webhook set taken_until = null
          where webhook_id = any(${idle}) and taken_until = ${new Date(takenUntilMillis)}`
      }
      return due.map(({ message: { messageId, ...message }, sealedSecret, ...row }): Taken => {
        const secret = Effect.sync(() => open(sealedSecret, nameOf(row.webhookId)))
        return { ...row, messageId, message, secret, takenUntilMillis }
      })
    }, orUnavailable)
  }
}

export const ends = (sql: SqlClient.SqlClient): Pick<WebhooksShape, "finish" | "prune"> => ({
  finish: Effect.fn("Webhooks.finish")(
    function* ({ attempt, messageId, takenUntilMillis, webhookId }: Taken, answer, nextAtMillis: number | null) {
      const [row] = yield* failing.all(sql`
        select ${failing.columns} from webhook
        where webhook_id = ${webhookId} and taken_until = ${new Date(takenUntilMillis)} for update`)
      if (row === undefined) return false
      const now = yield* Clock.currentTimeMillis
      const { failingSinceMillis, outcome, reason } = afterTry(row.failingSinceMillis, answer, nextAtMillis, now)
      yield* sql`
        update webhook_delivery set ${deliveries.set({ ...answer, outcome, endedAtMillis: now })}
        where message_id = ${messageId} and webhook_id = ${webhookId} and attempt = ${attempt}`
      const disabled = reason === undefined ? {} : { disabledAtMillis: now, disabledReason: reason }
      yield* sql`
        update webhook set ${webhooks.set({ failingSinceMillis, takenUntilMillis: null, ...disabled })}
        where webhook_id = ${webhookId}`
      if (outcome === "FAILED" && reason === undefined && nextAtMillis !== null) {
        const next = {
          messageId,
          webhookId,
          attempt: attempt + 1,
          dueAtMillis: nextAtMillis,
          outcome: "PENDING"
        } as const
        yield* sql`insert into webhook_delivery ${deliveries.values(next)}`
      }
      if (reason !== undefined) {
        const dropped = { outcome: "DROPPED", fault: droppedFor[reason], endedAtMillis: now } as const
        yield* sql`
          update webhook_delivery set ${deliveries.set(dropped)} where webhook_id = ${webhookId} and outcome = 'PENDING'`
      }
      return true
    },
    sql.withTransaction,
    orUnavailable
  ),
  prune: Effect.gen(function* () {
    const before = new Date((yield* Clock.currentTimeMillis) - webhooksKeptMillis)
    const pruned = yield* sql`
      delete from webhook_message where message_id in (
        select message_id from webhook_message where at < ${before}
        order by at limit ${maxPruned} for update skip locked
      ) returning 1`
    return pruned.length
  }).pipe(orUnavailable, Effect.withSpan("Webhooks.prune"))
})
