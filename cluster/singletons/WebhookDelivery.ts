/** Delivers webhook messages and deletes old ones. A stateless singleton: one node runs it for the venue. */
import type { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { Webhooks } from "@venue/storage/treasury/Webhooks"
import { maxPruned } from "@venue/storage/treasury/WebhookTable"
import { Effect, type Layer } from "effect"
import { Singleton, type Sharding } from "effect/cluster"
import * as TableWriter from "../tables/TableWriter.ts"
import * as WebhookLoop from "./WebhookLoop.ts"

const prune = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  while (true) if ((yield* webhooks.prune) < maxPruned) yield* Effect.sleep("1 hour")
})

const both = [
  TableWriter.persist("webhook deliveries", WebhookLoop.run),
  TableWriter.persist("old webhook deliveries", prune)
]

export const layer: Layer.Layer<never, never, Sharding.Sharding | Webhooks | WebhookSender> = Singleton.make(
  "WebhookDelivery",
  Effect.all(both, { concurrency: "unbounded", discard: true })
)
