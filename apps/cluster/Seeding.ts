/** Creates a cluster's demo users. This process has no desks, so it calls the desks on the nodes. */
import { ClientRegistration } from "@venue/auth/oauth/ClientRegistration"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { FeedHeads } from "@venue/cluster/clients/FeedHeads"
import * as ClusterNode from "@venue/cluster/ClusterNode"
import { Effect, Layer } from "effect"
import type { SecretClient } from "../dev/Secrets.ts"
import * as Seed from "../dev/Seed.ts"

export interface SeedingOptions extends Seed.Planting {
  /** Applications registered at an earlier start. */
  readonly oauthClients: ReadonlyArray<SecretClient>
  readonly cluster: ClusterNode.ClusterNodeOptions
}

/** Creates the initial data. Returns the registered applications. */
export const plant = Effect.fn("Seeding.plant")(
  function* (options: SeedingOptions) {
    yield* Seed.plant(options)
    return yield* Seed.registerClients(options.oauthClients)
  },
  (effect, { cluster }) => Effect.provide(effect, clients(cluster))
)

const clients = (cluster: ClusterNode.ClusterNodeOptions) =>
  Layer.merge(
    ClientRegistration.layer,
    DeskClient.layer.pipe(Layer.provide([LocalEntities.layer, noHeads, ClusterNode.gateway(cluster)]))
  )

/** Sends no heads with reads, because this process follows no market. */
const noHeads = Layer.succeed(FeedHeads)({ all: () => [] })
