/** Layers that let a process report its own conditions, and push alarms to the operators' webhooks. */
import * as AlarmPusher from "@venue/gateway/alarms/AlarmPusher"
import { OwnNode } from "@venue/gateway/alarms/NodeAlarms"
import { ExpectedReplicas } from "@venue/gateway/alarms/ReplicaAlarms"
import { Resolver } from "@venue/providers/webhooks/Resolver"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { Effect, Layer, Option, type Redacted } from "effect"
import * as NodeConditions from "./NodeConditions.ts"
import type { NodeSettings } from "./NodeSettings.ts"
import type { SharedSettings } from "./Settings.ts"
import * as WebhookLayers from "./WebhookLayers.ts"

/** Who the process is, for the alarms that it lists and pushes. */
export const own = (
  { expectedReplicas }: SharedSettings,
  { kind, name, watched }: Pick<NodeSettings, "kind" | "name"> & { readonly watched: NodeConditions.Watched }
) =>
  Layer.merge(
    Layer.succeed(ExpectedReplicas)(expectedReplicas),
    Layer.effect(
      OwnNode,
      Effect.map(NodeConditions.make(watched), (conditions) => ({ kind, name, conditions }))
    )
  )

/** As `own`, for a runner or gateway. */
export const ofNode = (settings: NodeSettings) => own(settings, { ...settings, watched: watchedBy(settings) })

/** Sends alarms while the process runs. */
export const pusher = (settings: SharedSettings) =>
  Layer.effectDiscard(Effect.forkScoped(AlarmPusher.run)).pipe(
    Layer.provide(WebhookSender.layer),
    Layer.provide(Resolver.layer),
    Layer.provide(WebhookLayers.endpoints(settings))
  )

const watchedBy = (settings: NodeSettings): NodeConditions.Watched => {
  const { adminTlsCert, databaseUrl, kind, tls, tlsCa, tlsCert, watchedPaths, witnessDir } = settings
  const ofCluster =
    tls === undefined
      ? []
      : [
          { path: Option.getOrThrow(tlsCert), pem: tls.cert },
          { path: Option.getOrThrow(tlsCa), pem: tls.ca }
        ]
  return {
    paths: [...new Set([...watchedPaths, ...Option.toArray(witnessDir)])],
    certificates: kind === "gateway" ? [...ofCluster, ...ofOperators(adminTlsCert)] : ofCluster,
    databaseUrl
  }
}

/** Returns what a venue of one process watches. */
export const watchedAlone = (
  { adminTlsCert, watchedPaths }: SharedSettings,
  dataDir: string,
  databaseUrl: Redacted.Redacted
): NodeConditions.Watched => ({
  paths: watchedPaths.length > 0 ? watchedPaths : [dataDir],
  certificates: ofOperators(adminTlsCert),
  databaseUrl
})

/** The operator interface reads its certificate again when the file changes. */
const ofOperators = (path: Option.Option<string>) => Option.toArray(Option.map(path, (file) => ({ path: file })))
