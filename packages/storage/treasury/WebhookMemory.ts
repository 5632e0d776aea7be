/** In-memory webhook endpoints, messages and delivery attempts. Deposit and withdrawal tables add messages. */
import { railOf } from "@venue/domain/Rail"
import { maxWebhooks, type TryAnswer, type WebhookMessage, webhooksKeptMillis } from "@venue/domain/Webhook"
import { type MemoryTable, MemoryTables } from "@venue/postgres/MemoryTables"
import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { createHash } from "node:crypto"
import { BankAccounts } from "./BankAccounts.ts"
import {
  afterTry,
  type Delivery,
  droppedFor,
  maxShownDeliveries,
  type NewWebhook,
  type Taken,
  takenForMillis,
  TooManyWebhooks,
  type Webhook,
  type WebhooksShape
} from "./WebhookTable.ts"

interface Endpoint extends Webhook {
  readonly secret: Redacted.Redacted
  readonly failingSinceMillis: number | null
  readonly takenUntilMillis: number | null
}

export class WebhookMemory extends Context.Service<
  WebhookMemory,
  WebhooksShape & {
    /**
     * Adds a message in the current transaction, as the database function `tell_webhooks` does. A bank withdrawal's
     * `destination` is the id of the bank account.
     */
    readonly write: (message: WebhookMessage) => void
  }
>()("@venue/storage/treasury/WebhookMemory") {
  static readonly layer: Layer.Layer<WebhookMemory> = Layer.effect(
    WebhookMemory,
    Effect.gen(function* () {
      const tables = yield* MemoryTables
      const accounts = yield* BankAccounts
      const endpoints = tables.table<Endpoint>()
      const messages = tables.table<WebhookMessage>()
      const deliveries = tables.table<Delivery>()
      const store = { endpoints, messages, deliveries }
      const { transaction } = tables
      return WebhookMemory.of({
        add: (webhook) => transaction(add(store, webhook)),
        ofUser: (userId) => Effect.sync(() => ofUser(store, userId)),
        remove: (userId, webhookId) =>
          transaction(
            Effect.sync(() => {
              if (endpoints.get(webhookId)?.userId !== userId) return false
              endpoints.delete(webhookId)
              for (const row of deliveries.rows()) if (row.webhookId === webhookId) deliveries.delete(keyOf(row))
              return true
            })
          ),
        write: (message) => write(store, message),
        take: (limit) =>
          transaction(
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.forEach(take(store, limit, now), (taken) => shownAtBank(accounts, taken))
            )
          ),
        finish: (taken, answer, nextAtMillis) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (now) => finish(store, { taken, answer, nextAtMillis, now }))
          ),
        prune: transaction(
          Effect.map(Clock.currentTimeMillis, (now) => {
            const old = [...messages.rows()].filter(({ atMillis }) => atMillis < now - webhooksKeptMillis)
            const gone = new Set(old.map(idOf))
            for (const messageId of gone) messages.delete(messageId)
            for (const row of deliveries.rows()) if (gone.has(row.messageId)) deliveries.delete(keyOf(row))
            return gone.size
          })
        )
      })
    })
  ).pipe(Layer.provide([MemoryTables.layer, BankAccounts.layerMemory]))
}

interface Store {
  readonly endpoints: MemoryTable<Endpoint>
  readonly messages: MemoryTable<WebhookMessage>
  readonly deliveries: MemoryTable<Delivery>
}

const keyOf = ({ attempt, messageId, webhookId }: Pick<Delivery, "messageId" | "webhookId" | "attempt">): string =>
  `${messageId} ${webhookId} ${attempt}`

/** Returns a message's id, which equals the id in the database. */
const idOf = ({ event, subjectId }: WebhookMessage): string =>
  `msg_${createHash("sha256").update(`${event} ${subjectId}`).digest("hex").slice(0, 32)}`

const shownOf = ({ failingSinceMillis: _f, secret: _s, takenUntilMillis: _t, ...webhook }: Endpoint): Webhook => webhook

const add = Effect.fnUntraced(function* ({ endpoints }: Store, { secret, ...webhook }: NewWebhook) {
  const own = endpoints.rows().filter(({ userId }) => userId === webhook.userId)
  if (own.length >= maxWebhooks) return yield* new TooManyWebhooks({ limit: maxWebhooks })
  const createdAtMillis = yield* Clock.currentTimeMillis
  const state = { disabledAtMillis: null, disabledReason: null, failingSinceMillis: null, takenUntilMillis: null }
  const endpoint = { ...webhook, createdAtMillis, ...state, secret }
  endpoints.set(webhook.webhookId, endpoint)
  return shownOf(endpoint)
})

const ofUser = ({ deliveries, endpoints }: Store, ofThis: string) =>
  endpoints
    .rows()
    .filter(({ userId }) => userId === ofThis)
    .map((endpoint) => ({
      ...shownOf(endpoint),
      deliveries: deliveries
        .rows()
        .filter(({ webhookId }) => webhookId === endpoint.webhookId)
        .toSorted((a, b) => b.dueAtMillis - a.dueAtMillis || (a.messageId < b.messageId ? -1 : 1))
        .slice(0, maxShownDeliveries)
    }))

const write = ({ deliveries, endpoints, messages }: Store, message: WebhookMessage): void => {
  const messageId = idOf(message)
  const recipients = endpoints
    .rows()
    .filter(
      ({ disabledAtMillis, events, userId }) =>
        userId === message.userId && disabledAtMillis === null && events.includes(message.event)
    )
  if (recipients.length === 0 || messages.get(messageId) !== undefined) return
  messages.set(messageId, message)
  for (const { webhookId } of recipients) {
    const [dueAtMillis, event] = [message.atMillis, message.event]
    const first = { messageId, webhookId, attempt: 1, dueAtMillis, event, outcome: "PENDING" } as const
    deliveries.set(keyOf(first), { ...first, status: null, fault: null, endedAtMillis: null })
  }
}

const take = ({ deliveries, endpoints, messages }: Store, limit: number, now: number): ReadonlyArray<Taken> => {
  const due = deliveries
    .rows()
    .filter(({ dueAtMillis, outcome }) => outcome === "PENDING" && dueAtMillis <= now)
    .toSorted((a, b) => a.dueAtMillis - b.dueAtMillis || (a.messageId < b.messageId ? -1 : 1))
  const firsts = [...new Map(due.toReversed().map((row) => [row.webhookId, row])).values()]
  const takenUntilMillis = now + takenForMillis
  return firsts
    .flatMap((row) => {
      const endpoint = endpoints.get(row.webhookId)
      const isFree = endpoint?.disabledAtMillis === null && (endpoint.takenUntilMillis ?? 0) <= now
      return isFree ? [{ row, endpoint }] : []
    })
    .toSorted(
      (a, b) =>
        Number(a.endpoint.failingSinceMillis !== null) - Number(b.endpoint.failingSinceMillis !== null) ||
        a.row.dueAtMillis - b.row.dueAtMillis
    )
    .slice(0, limit)
    .map(({ endpoint, row: { attempt, messageId, webhookId } }) => {
      endpoints.set(webhookId, { ...endpoint, takenUntilMillis })
      const [message, secret] = [messages.get(messageId)!, Effect.succeed(endpoint.secret)]
      return { messageId, webhookId, attempt, url: endpoint.url, secret, message, takenUntilMillis }
    })
}

/** Replaces a bank account's id by its masked account number. */
const shownAtBank = Effect.fnUntraced(function* (accounts: BankAccounts["Service"], taken: Taken) {
  const { destination, method } = taken.message
  if (destination === null || railOf(method) !== "BANK") return taken
  const [account] = yield* accounts.named([destination])
  return { ...taken, message: { ...taken.message, destination: account?.masked ?? null } }
})

interface Finish {
  readonly taken: Taken
  readonly answer: TryAnswer
  readonly nextAtMillis: number | null
  readonly now: number
}

const finish = ({ deliveries, endpoints }: Store, { answer, nextAtMillis, now, taken }: Finish): boolean => {
  const { webhookId } = taken
  const endpoint = endpoints.get(webhookId)
  if (endpoint === undefined || endpoint.takenUntilMillis !== taken.takenUntilMillis) return false
  const { failingSinceMillis, outcome, reason } = afterTry(endpoint.failingSinceMillis, answer, nextAtMillis, now)
  const row = deliveries.get(keyOf(taken))!
  deliveries.set(keyOf(taken), { ...row, ...answer, outcome, endedAtMillis: now })
  const disabled = reason === undefined ? {} : { disabledAtMillis: now, disabledReason: reason }
  endpoints.set(webhookId, { ...endpoint, failingSinceMillis, takenUntilMillis: null, ...disabled })
  if (outcome === "FAILED" && reason === undefined && nextAtMillis !== null) {
    const next = { ...row, attempt: row.attempt + 1, dueAtMillis: nextAtMillis }
    deliveries.set(keyOf(next), next)
  }
  if (reason !== undefined) {
    for (const other of deliveries.rows()) {
      if (other.webhookId !== webhookId || other.outcome !== "PENDING") continue
      deliveries.set(keyOf(other), { ...other, outcome: "DROPPED", fault: droppedFor[reason], endedAtMillis: now })
    }
  }
  return true
}
