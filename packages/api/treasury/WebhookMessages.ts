/** Webhook messages in the OpenAPI document, from the schemas that encode them. */
import { type WebhookEvent, DepositEvent, WithdrawalEvent } from "@venue/domain/Webhook"
import { WebhookDepositMessage, WebhookWithdrawalMessage } from "@venue/domain/WebhookBody"
import type { Schema } from "effect"
import examples from "./Examples.json" with { type: "json" }

export const messages = [WebhookDepositMessage, WebhookWithdrawalMessage] as const

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", examples: [example] }
})

const parameters = [
  header(
    "webhook-id",
    "Id of the message, the same over all attempts and for all endpoints.",
    "58f40b9f-0f5e-4e0b-9a53-7c1f6b6a1d20"
  ),
  header("webhook-timestamp", "Time of this attempt, in Unix seconds.", "1772463845"),
  header(
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` under the endpoint's secret, in base64.",
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  )
]

type Message = Readonly<Record<"type" | "timestamp" | "data", Schema.Json>>

const messageOf = (event: WebhookEvent, name: "WebhookDepositMessage" | "WebhookWithdrawalMessage") => {
  const example = examples[name] satisfies Message
  const status = event.slice(event.indexOf(".") + 1).toUpperCase()
  const $ref = `#/components/schemas/${name}`
  return {
    post: {
      operationId: `webhooks.${event}`,
      tags: ["webhooks"],
      summary: `Receive ${event}`,
      description:
        "Sent to each endpoint of the user that names this event, until it answers with a status of 200 to 299.",
      parameters,
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              allOf: [{ $ref }, { properties: { type: { const: event, description: "Event of the message." } } }]
            },
            example: { ...example, type: event, data: { ...(example.data as object), status } }
          }
        }
      },
      responses: {
        "2XX": { description: "The endpoint accepted the message." },
        "410": { description: "The endpoint is gone; the venue disables it and sends no further messages to it." },
        default: { description: "The endpoint did not accept the message; the venue sends it again." }
      },
      security: []
    }
  }
}

export const webhooks = Object.fromEntries([
  ...DepositEvent.literals.map((event) => [event, messageOf(event, "WebhookDepositMessage")] as const),
  ...WithdrawalEvent.literals.map((event) => [event, messageOf(event, "WebhookWithdrawalMessage")] as const)
])
