/** What sends users the messages about their money, and where it may. */
import * as WebhookDelivery from "@venue/cluster/singletons/WebhookDelivery"
import { LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { Resolver } from "@venue/providers/webhooks/Resolver"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { Layer } from "effect"
import type { SharedSettings } from "./Settings.ts"

/** A node that takes endpoints, or sends to them, has it. */
export const endpoints = ({ webhookLoopback }: SharedSettings) => Layer.succeed(LoopbackEndpoints)(webhookLoopback)

export const delivery = (settings: SharedSettings) =>
  WebhookDelivery.layer.pipe(
    Layer.provide(WebhookSender.layer),
    Layer.provide(Resolver.layer),
    Layer.provide(endpoints(settings))
  )
