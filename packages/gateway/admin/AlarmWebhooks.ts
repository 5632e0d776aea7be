/** Handles `/alarm-webhooks`. */
import { AdminApi } from "@venue/api/admin/Api"
import { alarmWebhook, registeredWebhook } from "@venue/api/admin/AlarmWebhooks"
import { Operator } from "@venue/api/admin/Operator"
import { Ids } from "@venue/cluster/clients/Ids"
import { Transaction } from "@venue/postgres/Transaction"
import { endpointOf, LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { AlarmWebhooks } from "@venue/storage/alarms/AlarmWebhooks"
import { Effect, Redacted, Result } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "alarmWebhooks",
  Effect.fnUntraced(function* (handlers) {
    const allowsLoopback = yield* LoopbackEndpoints
    const ids = yield* Ids
    const random = yield* SecureRandom.SecureRandom
    const recordRequest = yield* makeRecordRequest
    const refusals = yield* apiProblems
    const transaction = yield* Transaction
    const webhooks = yield* AlarmWebhooks
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }

    return handlers
      .handle("list", () =>
        webhooks.list.pipe(
          Effect.map((list) => ({ data: list.map(alarmWebhook), count: list.length })),
          Effect.catchTags(unavailable)
        )
      )
      .handle(
        "create",
        Effect.fnUntraced(
          function* ({ payload }) {
            const endpoint = endpointOf(payload.url, allowsLoopback)
            if (Result.isFailure(endpoint)) {
              const message = `Expected ${endpoint.failure.expected}`
              return yield* refusals.invalidValue("invalid-webhook-url", [{ location: "body.url", message }])
            }
            const secret = Redacted.make(`whsec_${Buffer.from(yield* random.randomBytes(32)).toString("base64")}`)
            const { name: createdBy } = yield* Operator
            const webhook = { webhookId: ids.next().text, url: endpoint.success.href, createdBy, secret }
            const added = yield* transaction.run(
              Effect.tap(webhooks.add(webhook), ({ webhookId }) =>
                recordRequest("alarm_webhook_registered", webhookId, { reason: payload.reason })
              )
            )
            return { ...registeredWebhook(added), secret: Redacted.value(secret) }
          },
          Effect.catchTags({
            ...unavailable,
            TooManyAlarmWebhooks: ({ limit }) => Effect.fail(refusals.tooManyAlarmWebhooks(limit))
          })
        )
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ payload: { id, reason } }) {
          const webhookId = id.toLowerCase()
          const removed = yield* transaction.run(
            Effect.tap(webhooks.remove(webhookId), (isRemoved) =>
              isRemoved ? recordRequest("alarm_webhook_removed", webhookId, { reason }) : Effect.void
            )
          )
          if (!removed)
            return yield* refusals.notFound("alarm webhook", webhookId, "list the webhooks with GET /alarm-webhooks")
        }, Effect.catchTags(unavailable))
      )
  })
)
