/** Columns of webhook endpoints, messages and tries, and the service that stores them. */
import { DepositMethod } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import {
  DisabledReason,
  disabledBy,
  type TryAnswer,
  TryOutcome,
  WebhookEvent,
  type WebhookMessage
} from "@venue/domain/Webhook"
import { bytea, integer, numeric, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Table from "@venue/postgres/Table"
import { type Effect, type Redacted, Schema } from "effect"

export const webhooks = Table.make("webhook", {
  /** UUID. */
  webhookId: text,
  userId: of("text", UserId),
  url: text,
  events: of("text[]", Schema.Array(WebhookEvent)),
  sealedSecret: bytea,
  createdAtMillis: timestamptz,
  /** Time since which every try failed; null after a success. */
  failingSinceMillis: orNull(timestamptz),
  disabledAtMillis: orNull(timestamptz),
  disabledReason: orNull(of("text", DisabledReason)),
  /** Lease of the node that sends to the endpoint; null without one. */
  takenUntilMillis: orNull(timestamptz)
})
export const shown = webhooks.pick(
  "webhookId",
  "userId",
  "url",
  "events",
  "createdAtMillis",
  "disabledAtMillis",
  "disabledReason"
)
export type Webhook = Table.Row<typeof shown>

export interface NewWebhook extends Pick<Webhook, "webhookId" | "userId" | "url" | "events"> {
  readonly secret: Redacted.Redacted
}

export const messages = Table.make("webhook_message", {
  messageId: text,
  userId: of("text", UserId),
  event: of("text", WebhookEvent),
  subjectId: text,
  method: of("text", DepositMethod),
  amount: numeric,
  fee: orNull(numeric),
  destination: orNull(text),
  txHash: orNull(text),
  createdAtMillis: timestamptz,
  creditedAtMillis: orNull(timestamptz),
  atMillis: timestamptz
})

export const deliveries = Table.make("webhook_delivery", {
  messageId: text,
  webhookId: text,
  /** Number of the try, from 1. */
  attempt: integer,
  dueAtMillis: timestamptz,
  outcome: of("text", TryOutcome),
  status: orNull(integer),
  fault: orNull(text),
  endedAtMillis: orNull(timestamptz)
})
export type DeliveryRow = Table.Row<typeof deliveries>

/** A try with the event of its message. */
export interface Delivery extends DeliveryRow {
  readonly event: WebhookEvent
}

export interface ShownWebhook extends Webhook {
  /** Newest first, at most `maxShownDeliveries`. */
  readonly deliveries: ReadonlyArray<Delivery>
}
export const maxShownDeliveries = 10

/** A try that the caller holds a lease for. */
export interface Taken extends Pick<DeliveryRow, "messageId" | "webhookId" | "attempt"> {
  readonly url: string
  /** Secret of the endpoint; dies if it cannot be unsealed. */
  readonly secret: Effect.Effect<Redacted.Redacted>
  readonly message: WebhookMessage
  /** End of the lease. */
  readonly takenUntilMillis: number
}

export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  limit: Schema.Number
}) {}

export interface WebhooksShape {
  /** Adds an endpoint of an existing user. */
  readonly add: (webhook: NewWebhook) => Effect.Effect<Webhook, TooManyWebhooks | DatabaseUnavailable>
  /** Oldest first. */
  readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<ShownWebhook>, DatabaseUnavailable>
  /** Removes an endpoint with its pending tries; returns false if the user has no such endpoint. */
  readonly remove: (userId: UserId, webhookId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Leases at most `limit` endpoints with a due try, working ones first, and returns one try of each. */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<Taken>, DatabaseUnavailable>
  /**
   * Stores the answer to a try and ends the lease. `nextAtMillis` is the time of the next try after a failure; null for none.
   * Returns false, and stores nothing, if the lease is over or the endpoint was removed.
   */
  readonly finish: (
    taken: Taken,
    answer: TryAnswer,
    nextAtMillis: number | null
  ) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Deletes at most `maxPruned` expired messages; returns their number. */
  readonly prune: Effect.Effect<number, DatabaseUnavailable>
}

/** Length of a lease; longer than any try takes. */
export const takenForMillis = 60_000
export const maxPruned = 1_000

/** Returns the name under which a secret is sealed; no other kind of secret has it. */
export const nameOf = (webhookId: string): string => `webhook:${webhookId}`

/** Returns the outcome of a try, and the state of its endpoint after it. */
export const afterTry = (
  failingSinceMillis: number | null,
  answer: TryAnswer,
  nextAtMillis: number | null,
  now: number
) => {
  if (answer.fault === null) return { outcome: "DELIVERED", failingSinceMillis: null, reason: undefined } as const
  const since = failingSinceMillis ?? now
  const reason = disabledBy(answer, nextAtMillis === null, now - since)
  return { outcome: "FAILED", failingSinceMillis: since, reason } as const
}

/** Faults of tries that are dropped when their endpoint is disabled. */
export const droppedFor: { readonly [Reason in DisabledReason]: string } = {
  gone: "the endpoint answered 410, and is disabled",
  failing: "the endpoint has taken nothing for three days, and is disabled"
}
