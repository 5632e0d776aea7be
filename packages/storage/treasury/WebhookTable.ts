/** The columns of endpoints, messages and tries, and what is asked about them. */
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
  /** It is a UUID. */
  webhookId: text,
  userId: of("text", UserId),
  url: text,
  events: of("text[]", Schema.Array(WebhookEvent)),
  sealedSecret: bytea,
  createdAtMillis: timestamptz,
  /** Nothing was taken from then on; null where the newest try was. */
  failingSinceMillis: orNull(timestamptz),
  disabledAtMillis: orNull(timestamptz),
  disabledReason: orNull(of("text", DisabledReason)),
  /** Until then somebody is sending to it. */
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
  /** The first is 1. */
  attempt: integer,
  dueAtMillis: timestamptz,
  outcome: of("text", TryOutcome),
  status: orNull(integer),
  fault: orNull(text),
  endedAtMillis: orNull(timestamptz)
})
export type DeliveryRow = Table.Row<typeof deliveries>

/** A try, with what it told of. */
export interface Delivery extends DeliveryRow {
  readonly event: WebhookEvent
}

export interface ShownWebhook extends Webhook {
  /** They come newest first. */
  readonly deliveries: ReadonlyArray<Delivery>
}
export const maxShownDeliveries = 10

/** A try that is this taker's to make. */
export interface Taken extends Pick<DeliveryRow, "messageId" | "webhookId" | "attempt"> {
  readonly url: string
  /** It dies where the secret does not open. */
  readonly secret: Effect.Effect<Redacted.Redacted>
  readonly message: WebhookMessage
  /** After that it is anybody's again. */
  readonly takenUntilMillis: number
}

export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  limit: Schema.Number
}) {}

export interface WebhooksShape {
  /** The user must be there. */
  readonly add: (webhook: NewWebhook) => Effect.Effect<Webhook, TooManyWebhooks | DatabaseUnavailable>
  /** The oldest come first. */
  readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<ShownWebhook>, DatabaseUnavailable>
  /** Answers whether the user had it. What was not sent is not sent any more. */
  readonly remove: (userId: UserId, webhookId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /**
   * Takes at most so many endpoints that something is due at and nobody is sending to, those that do not fail first, and
   * answers with one try of each.
   */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<Taken>, DatabaseUnavailable>
  /**
   * Notes what came of a try and lets go of its endpoint; the next try of a message that failed is due then, or there is
   * none. False where the endpoint is no longer this taker's, or not there: nothing was noted.
   */
  readonly finish: (
    taken: Taken,
    answer: TryAnswer,
    nextAtMillis: number | null
  ) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Deletes some of what is too old to be told of, and answers how many messages. */
  readonly prune: Effect.Effect<number, DatabaseUnavailable>
}

/** It is longer than any try takes. */
export const takenForMillis = 60_000
export const maxPruned = 1_000

/** A secret is sealed under a name that no other kind of secret has. */
export const nameOf = (webhookId: string): string => `webhook:${webhookId}`

/** What a try that was answered so makes of its endpoint. */
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

/** What is said of tries that are not made. */
export const droppedFor: { readonly [Reason in DisabledReason]: string } = {
  gone: "the endpoint answered 410, and is disabled",
  failing: "the endpoint has taken nothing for three days, and is disabled"
}
