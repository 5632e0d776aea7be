/** What a cluster is given before anybody comes: signing keys, and demo users. This process has no desks and asks those of others. */
import { ClientRegistration } from "@venue/auth/oauth/ClientRegistration"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { ToldHeads } from "@venue/cluster/clients/ToldHeads"
import * as ClusterNode from "@venue/cluster/ClusterNode"
import { Effect, Layer } from "effect"
import * as ImportedKeys from "../dev/ImportedKeys.ts"
import type { SecretClient } from "../dev/Secrets.ts"
import * as Seed from "../dev/Seed.ts"

/** Before any node is started, which would make keys of its own. */
export const found = Effect.fn("Seeding.found")(function* (
  dataDir: string,
  say: (text: string) => Effect.Effect<void>
) {
  yield* Effect.scoped(Layer.build(SigningKeys.layerFounded(ImportedKeys.founding(dataDir))))
  yield* ImportedKeys.setAside(dataDir, say)
})

export interface SeedingOptions extends Seed.Planting {
  /** Registered at an earlier start. */
  readonly oauthClients: ReadonlyArray<SecretClient>
  readonly cluster: ClusterNode.ClusterNodeOptions
}

/** Answers with the applications that are registered now. */
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
    DeskClient.layer.pipe(Layer.provide([LocalEntities.layer, nothingTold, ClusterNode.gateway(cluster)]))
  )

/** It hears no market. */
const nothingTold = Layer.succeed(ToldHeads)({ all: () => [] })
