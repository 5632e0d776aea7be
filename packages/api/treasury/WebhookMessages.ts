/** Webhook messages for the OpenAPI document, derived from the schemas that encode the messages. */
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
    "Id of the message. Every attempt and every endpoint receives the same id.",
    "58f40b9f-0f5e-4e0b-9a53-7c1f6b6a1d20"
  ),
  header("webhook-timestamp", "Time of this delivery attempt, in Unix seconds.", "1772463845"),
  header(
    "webhook-signature",
    "`v1,` followed by the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64, keyed with the endpoint's secret.",
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
        "Sent to every endpoint that the user registered for this event, until the endpoint responds with a status from 200 to 299 or the last attempt fails.",
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
        default: { description: "The endpoint did not accept the message; the venue sends the message again." }
      },
      security: []
    }
  }
}

export const webhooks = Object.fromEntries([
  ...DepositEvent.literals.map((event) => [event, messageOf(event, "WebhookDepositMessage")] as const),
  ...WithdrawalEvent.literals.map((event) => [event, messageOf(event, "WebhookWithdrawalMessage")] as const)
])
