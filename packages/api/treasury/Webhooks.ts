/** `/webhooks`: where a user is told of their money. What is sent there stands in `docs/webhooks.md`. */
import { DisabledReason, TryOutcome, WebhookEvent } from "@venue/domain/Webhook"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { RowCount, Rows, SchemaLink } from "../Body.ts"
import { instant as instantText } from "../Digits.ts"
import { count, instant, text, uuid } from "../Member.ts"
import { BadRequest, Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { secret } from "../Secret.ts"

const events = Schema.Array(WebhookEvent)

const webhook = {
  id: uuid("Names the endpoint"),
  url: text("Messages are posted there"),
  events,
  created_at: instant("It was made then, and is told what happened since")
}

export const WebhookDelivery = Schema.Struct({
  message_id: text("The message is sent under it"),
  event: WebhookEvent,
  attempt: count("The first is 1, the last 8"),
  outcome: TryOutcome,
  status: Schema.NullOr(Schema.Int.annotate({ description: "The endpoint answered with it." })),
  fault: Schema.NullOr(text("Why the endpoint has not taken it")),
  due_at: instant("It is to be made then"),
  ended_at: Schema.NullOr(instant("It ended then"))
}).annotate({ identifier: "WebhookDelivery" })

export const Webhook = Schema.Struct({
  ...webhook,
  disabled_at: Schema.NullOr(instant("Nothing is sent to it from then on")),
  disabled_reason: Schema.NullOr(DisabledReason),
  deliveries: Rows(WebhookDelivery)
}).annotate({ identifier: "Webhook" })

export const WebhooksResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: RowCount,
  data: Rows(Webhook)
}).annotate({ identifier: "WebhooksResponseBody" })

/** What a url says may be a secret of the endpoint, so no refusal repeats it. */
export const CreateWebhookRequestBody = Schema.Struct({
  $schema: SchemaLink,
  url: secret(text("A public https address, at port 443 or 8443")),
  events: Schema.optionalKey(
    events.check(Schema.isMinLength(1), Schema.isMaxLength(WebhookEvent.literals.length)).annotate({
      description: "What it is told of; left out, all that there is now."
    })
  )
}).annotate({ identifier: "CreateWebhookRequestBody" })

export const CreatedWebhook = Schema.Struct({
  $schema: SchemaLink,
  ...webhook,
  secret: text("Messages are signed with it. It is told this once")
}).annotate({ identifier: "CreatedWebhook" })

export const WebhooksGroup = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/webhooks", { success: WebhooksResponseBody, error: ServiceUnavailable }),
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: CreateWebhookRequestBody,
      success: CreatedWebhook.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Conflict, ServiceUnavailable, GatewayTimeout]
    }),
    HttpApiEndpoint.delete("remove", "/webhooks/:id", {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(Authenticated)

interface Made {
  readonly webhookId: string
  readonly url: string
  readonly events: ReadonlyArray<WebhookEvent>
  readonly createdAtMillis: number
}

interface Listed extends Made {
  readonly disabledAtMillis: number | null
  readonly disabledReason: DisabledReason | null
  readonly deliveries: ReadonlyArray<{
    readonly messageId: string
    readonly event: WebhookEvent
    readonly attempt: number
    readonly outcome: TryOutcome
    readonly status: number | null
    readonly fault: string | null
    readonly dueAtMillis: number
    readonly endedAtMillis: number | null
  }>
}

export const madeWebhook = ({ createdAtMillis, events, url, webhookId }: Made) => ({
  id: webhookId,
  url,
  events,
  created_at: instantText(createdAtMillis)
})

export const listedWebhook = (row: Listed): typeof Webhook.Type => ({
  ...madeWebhook(row),
  disabled_at: momentOf(row.disabledAtMillis),
  disabled_reason: row.disabledReason,
  deliveries: row.deliveries.map(
    ({ attempt, dueAtMillis, endedAtMillis, event, fault, messageId, outcome, status }) => ({
      message_id: messageId,
      event,
      attempt,
      outcome,
      status,
      fault,
      due_at: instantText(dueAtMillis),
      ended_at: momentOf(endedAtMillis)
    })
  )
})

const momentOf = (millis: number | null): string | null => (millis === null ? null : instantText(millis))
