/** Delivers webhooks, and restricts the IP addresses that they can reach. */
import * as WebhookDelivery from "@venue/cluster/singletons/WebhookDelivery"
import { LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { Resolver } from "@venue/providers/webhooks/Resolver"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { Layer } from "effect"
import type { SharedSettings } from "./Settings.ts"

/**
 * Restricts the IP addresses that a webhook endpoint can have. Used by nodes that register endpoints or deliver to
 * them.
 */
export const endpoints = ({ webhookLoopback }: SharedSettings) => Layer.succeed(LoopbackEndpoints)(webhookLoopback)

export const delivery = (settings: SharedSettings) =>
  WebhookDelivery.layer.pipe(
    Layer.provide(WebhookSender.layer),
    Layer.provide(Resolver.layer),
    Layer.provide(endpoints(settings))
  )
