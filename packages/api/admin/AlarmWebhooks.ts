/** `/alarm-webhooks`: URLs to which the venue posts alarms; `docs/operate/alarms.md` describes the messages. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink, Uuid } from "../Body.ts"
import { instant } from "../Digits.ts"
import { text } from "../Member.ts"
import { BadRequest, Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { secret } from "../Secret.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

const webhook = {
  id: text("Id of the webhook"),
  origin: text("Scheme, host and port of the URL. The rest of the URL might be secret and is never returned"),
  created_by: text("Name of the operator who registered the URL"),
  created_at: Moment.annotate({ description: "Time of registration, ISO 8601 in UTC. Only later alarms are sent." })
}

export const AlarmWebhook = Schema.Struct({
  ...webhook,
  delivered_at: Schema.NullOr(Moment).annotate({
    description: "Time of the last delivered message, ISO 8601 in UTC; null before the first."
  }),
  failing_since: Schema.NullOr(Moment).annotate({
    description: "Time since which every attempt has failed, ISO 8601 in UTC; null after a success."
  }),
  fault: Schema.NullOr(text("Reason of the last failure; null after a success"))
}).annotate({ identifier: "AlarmWebhook", description: "URL to which the venue posts alarms." })

/** Response body of `GET /alarm-webhooks`. */
export const AlarmWebhookList = Schema.Struct({
  data: Schema.Array(AlarmWebhook).annotate({ description: "Webhooks, oldest first." }),
  count: RowCount
}).annotate({ identifier: "AlarmWebhookList" })

/** Body of `POST /alarm-webhooks`. No refusal repeats the URL, which might contain a secret. */
export const CreateAlarmWebhook = Schema.Struct({
  $schema: SchemaLink,
  url: secret(
    text("Public https URL with port 443 or 8443, to which the venue posts alarms").annotate({
      examples: ["https://pager.example.com/venue"]
    })
  ),
  reason: Reason
}).annotate({ identifier: "CreateAlarmWebhook" })

/** New webhook with its secret, which only this response contains. */
export const CreatedAlarmWebhook = Schema.Struct({
  ...webhook,
  secret: text("Secret with which the venue signs the messages, returned only in this response")
}).annotate({ identifier: "CreatedAlarmWebhook" })

/** Body of `POST /alarm-webhooks/remove`. */
export const RemoveAlarmWebhook = Schema.Struct({
  $schema: SchemaLink,
  id: Uuid.annotate({ description: "Id of the webhook.", examples: ["58f40b9f-0f5e-4e0b-9a53-7c1f6b6a1d20"] }),
  reason: Reason
}).annotate({ identifier: "RemoveAlarmWebhook" })

export const AlarmWebhooksGroup = HttpApiGroup.make("alarmWebhooks")
  .add(
    HttpApiEndpoint.get("list", "/alarm-webhooks", {
      success: AlarmWebhookList,
      error: ServiceUnavailable
    }).annotateMerge(
      operation("List alarm webhooks", "Returns the webhooks that receive alarms, without their secrets and full URLs.")
    ),
    HttpApiEndpoint.post("create", "/alarm-webhooks", {
      payload: CreateAlarmWebhook,
      success: CreatedAlarmWebhook.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Register an alarm webhook",
        "Registers a URL that receives alarms, and returns its secret once. Refused with 400 for a URL that is " +
          "invalid or not public, and with 409 if the venue has the maximum number of alarm webhooks."
      )
    ),
    HttpApiEndpoint.post("remove", "/alarm-webhooks/remove", {
      payload: RemoveAlarmWebhook,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Remove an alarm webhook",
        "Removes a URL. Waiting messages are dropped. Refused with 404 for an unknown webhook."
      )
    )
  )
  .middleware(OperatorOnly)

interface Registered {
  readonly webhookId: string
  readonly url: string
  readonly createdBy: string
  readonly createdAtMillis: number
}

interface Listed extends Registered {
  readonly deliveredAtMillis: number | null
  readonly failingSinceMillis: number | null
  readonly fault: string | null
}

/** Converts a new webhook to its wire format, without the secret. */
export const registeredWebhook = ({ createdAtMillis, createdBy, url, webhookId }: Registered) => ({
  id: webhookId,
  origin: new URL(url).origin,
  created_by: createdBy,
  created_at: instant(createdAtMillis)
})

/** Converts a webhook to its wire format. */
export const alarmWebhook = (row: Listed): typeof AlarmWebhook.Type => ({
  ...registeredWebhook(row),
  delivered_at: momentOf(row.deliveredAtMillis),
  failing_since: momentOf(row.failingSinceMillis),
  fault: row.fault
})

const momentOf = (millis: number | null): string | null => (millis === null ? null : instant(millis))
