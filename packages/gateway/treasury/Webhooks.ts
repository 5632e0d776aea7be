/** Handles `/webhooks`. */
import { schemaUri } from "@venue/api/Problem"
import { Caller } from "@venue/api/rest/Caller"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { listedWebhook, madeWebhook } from "@venue/api/treasury/Webhooks"
import { Ids } from "@venue/cluster/clients/Ids"
import { WebhookEvent } from "@venue/domain/Webhook"
import { endpointOf, LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { Webhooks } from "@venue/storage/treasury/Webhooks"
import { Effect, Redacted, Result } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as AuditedChange from "./AuditedChange.ts"

export const layer = group(
  TreasuryApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const allowsLoopback = yield* LoopbackEndpoints
    const changed = yield* AuditedChange.make
    const ids = yield* Ids
    const random = yield* SecureRandom.SecureRandom
    const webhooks = yield* Webhooks
    const refusals = yield* apiProblems

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(
          function* () {
            const own = yield* webhooks.ofUser((yield* Caller).userId)
            const $schema = schemaUri(baseUrl, "WebhooksResponseBody")
            return { $schema, count: own.length, data: own.map(listedWebhook) }
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
        )
      )
      .handle(
        "create",
        Effect.fnUntraced(
          function* ({ payload }) {
            const { userId } = yield* Caller
            const endpoint = endpointOf(payload.url, allowsLoopback)
            if (Result.isFailure(endpoint)) {
              const message = `Expected ${endpoint.failure.expected}`
              return yield* refusals.invalidValue("invalid-webhook-url", [{ location: "body.url", message }])
            }
            const secret = Redacted.make(`whsec_${Buffer.from(yield* random.randomBytes(32)).toString("base64")}`)
            const webhookId = ids.next().text
            const events = [...new Set(payload.events ?? WebhookEvent.literals)]
            const webhook = { webhookId, userId, url: endpoint.success.href, events, secret }
            const made = yield* changed(userId, webhooks.add(webhook), () => ({
              action: "webhook_created",
              facts: { webhookId }
            }))
            const $schema = schemaUri(baseUrl, "CreatedWebhook")
            return { $schema, ...madeWebhook(made), secret: Redacted.value(secret) }
          },
          Effect.catchTags({
            TooManyWebhooks: ({ limit }) => Effect.fail(refusals.tooManyWebhooks(limit)),
            DatabaseUnavailable: () => Effect.fail(refusals.deadlinePassed())
          })
        )
      )
      .handle(
        "remove",
        Effect.fnUntraced(
          function* ({ params }) {
            const { userId } = yield* Caller
            const webhookId = params.id.toLowerCase()
            const removed = yield* changed(userId, webhooks.remove(userId, webhookId), (isRemoved) =>
              isRemoved ? { action: "webhook_removed", facts: { webhookId } } : undefined
            )
            if (!removed) return yield* refusals.unknownWebhook(webhookId)
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.deadlinePassed()))
        )
      )
  })
)
