/** `/webhooks`: a user's endpoints for deposit and withdrawal events; `docs/api/webhooks.md` describes the messages. */
import { DisabledReason, TryOutcome, WebhookEvent } from "@venue/domain/Webhook"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { RowCount, Rows, SchemaLink } from "../Body.ts"
import { instant as instantText } from "../Digits.ts"
import { count, instant, text, uuid } from "../Member.ts"
import { BadRequest, Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { secret } from "../Secret.ts"
import { operation } from "../Operation.ts"

const events = Schema.Array(WebhookEvent).annotate({ description: "Events that the endpoint receives." })

const webhook = {
  id: uuid("Id of the endpoint"),
  url: text("URL to which the venue posts messages"),
  events,
  created_at: instant("Time of creation", ". Only later events are sent")
}

export const WebhookDelivery = Schema.Struct({
  message_id: text("Id of the message, the same for every attempt"),
  event: WebhookEvent.annotate({ description: "Event that the message reports." }),
  attempt: count("Number of the attempt, 1 to 8"),
  outcome: TryOutcome.annotate({
    description:
      "Outcome of the attempt: `PENDING` until the attempt ends, `DROPPED` if the endpoint was disabled before the attempt ended."
  }),
  status: Schema.NullOr(Schema.Int).annotate({
    description: "HTTP status of the endpoint's response; null if there was no response."
  }),
  fault: Schema.NullOr(text("Reason why the attempt failed or was dropped; null for all other attempts")),
  due_at: instant("Time at which the attempt is due"),
  ended_at: Schema.NullOr(instant("Time at which the attempt ended", "; null until then"))
}).annotate({ identifier: "WebhookDelivery", description: "Attempt to deliver a message." })

export const Webhook = Schema.Struct({
  ...webhook,
  disabled_at: Schema.NullOr(instant("Time at which the endpoint was disabled", "; null while it is enabled")),
  disabled_reason: Schema.NullOr(DisabledReason).annotate({
    description:
      "Reason why the endpoint was disabled: `gone` if it responded with 410, `failing` if no message was delivered for three days. Null while the endpoint is enabled."
  }),
  deliveries: Rows(WebhookDelivery).annotate({ description: "Latest attempts, newest first." })
}).annotate({
  identifier: "Webhook",
  description: "Webhook endpoint of a user, with the latest attempts to deliver messages to it."
})

export const WebhooksResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: RowCount,
  data: Rows(Webhook).annotate({ description: "Endpoints of the user." })
}).annotate({ identifier: "WebhooksResponseBody" })

/** Body of `POST /webhooks`. No refusal repeats the URL, which might contain a secret. */
export const CreateWebhookRequestBody = Schema.Struct({
  $schema: SchemaLink,
  url: secret(text("Public https URL with port 443 or 8443, to which the venue posts messages")),
  events: Schema.optionalKey(
    events.check(Schema.isMinLength(1), Schema.isMaxLength(WebhookEvent.literals.length)).annotate({
      description: "Events that the endpoint receives. Default: all events that exist at the time of creation.",
      examples: [["deposit.credited"]]
    })
  )
}).annotate({ identifier: "CreateWebhookRequestBody" })

export const CreatedWebhook = Schema.Struct({
  $schema: SchemaLink,
  ...webhook,
  secret: text("Secret with which the venue signs messages. The secret is returned only once")
}).annotate({ identifier: "CreatedWebhook" })

export const WebhooksGroup = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/webhooks", {
      success: WebhooksResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation("List webhook endpoints", "Returns the webhook endpoints of the user with their latest deliveries.")
    ),
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: CreateWebhookRequestBody,
      success: CreatedWebhook.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Create a webhook endpoint",
        "Creates an endpoint that receives the user's deposit and withdrawal events, and returns its secret " +
          "once. Refused with 400 for a URL that is invalid or not public, and with 409 if the user has the maximum number of " +
          "endpoints."
      )
    ),
    HttpApiEndpoint.delete("remove", "/webhooks/:id", {
      params: {
        id: Schema.String.annotate({
          description: "Id of the endpoint.",
          examples: ["58f40b9f-0f5e-4e0b-9a53-7c1f6b6a1d20"]
        })
      },
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Remove a webhook endpoint",
        "Removes an endpoint. Pending messages to it are dropped. Refused with 404 for an unknown endpoint."
      )
    )
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
