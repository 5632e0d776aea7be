/** Columns of webhook endpoints, messages and delivery attempts, and the interface of the service that stores them. */
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
  /** Time since which every delivery attempt has failed; null after a success. */
  failingSinceMillis: orNull(timestamptz),
  disabledAtMillis: orNull(timestamptz),
  disabledReason: orNull(of("text", DisabledReason)),
  /** End of the lease of the node that is sending to the endpoint; null without a lease. */
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
  /** Number of the delivery attempt, from 1. */
  attempt: integer,
  dueAtMillis: timestamptz,
  outcome: of("text", TryOutcome),
  status: orNull(integer),
  fault: orNull(text),
  endedAtMillis: orNull(timestamptz)
})
export type DeliveryRow = Table.Row<typeof deliveries>

export interface Delivery extends DeliveryRow {
  readonly event: WebhookEvent
}

export interface ShownWebhook extends Webhook {
  /** Newest first, at most `maxShownDeliveries`. */
  readonly deliveries: ReadonlyArray<Delivery>
}
export const maxShownDeliveries = 10

/** A delivery attempt for which the caller holds a lease. */
export interface Taken extends Pick<DeliveryRow, "messageId" | "webhookId" | "attempt"> {
  readonly url: string
  /** A secret that cannot be unsealed is a defect. */
  readonly secret: Effect.Effect<Redacted.Redacted>
  readonly message: WebhookMessage
  /** End of the lease. */
  readonly takenUntilMillis: number
}

export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  limit: Schema.Number
}) {}

export interface WebhooksShape {
  /** Adds an endpoint for an existing user. */
  readonly add: (webhook: NewWebhook) => Effect.Effect<Webhook, TooManyWebhooks | DatabaseUnavailable>
  /** Returns the user's endpoints, oldest first. */
  readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<ShownWebhook>, DatabaseUnavailable>
  /** Removes an endpoint and its pending delivery attempts; returns false if the user has no such endpoint. */
  readonly remove: (userId: UserId, webhookId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Leases at most `limit` endpoints with a due delivery attempt, working ones first. Returns one attempt each. */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<Taken>, DatabaseUnavailable>
  /**
   * Stores the response to a delivery attempt and ends the lease. After a failure, `nextAtMillis` is the time of the
   * next attempt, or null after the last attempt. Returns false and stores nothing if the lease has expired or the endpoint
   * was removed.
   */
  readonly finish: (
    taken: Taken,
    answer: TryAnswer,
    nextAtMillis: number | null
  ) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Deletes at most `maxPruned` expired messages and returns the number of deleted messages. */
  readonly prune: Effect.Effect<number, DatabaseUnavailable>
}

/** Length of a lease in milliseconds; longer than any delivery attempt takes. */
export const takenForMillis = 60_000
export const maxPruned = 1_000

/** Returns the name under which an endpoint's secret is sealed; the prefix separates it from other kinds of secrets. */
export const nameOf = (webhookId: string): string => `webhook:${webhookId}`

/** Returns a delivery attempt's outcome, and its endpoint's state afterwards. */
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

/** Error texts of delivery attempts that are dropped because their endpoint is disabled. */
export const droppedFor: { readonly [Reason in DisabledReason]: string } = {
  gone: "the endpoint returned status 410 and was disabled",
  failing: "the endpoint accepted no message for three days and was disabled"
}
