/** Layers of every node: membership, the venue's clock, and the shared settings. */
import { release } from "@venue/api/Release"
import type { ClusterNodeOptions } from "@venue/cluster/ClusterNode"
import type { ListedContracts } from "@venue/domain/ListedContracts"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import { Seal } from "@venue/postgres/Seal"
import * as NodeList from "@venue/storage/nodes/NodeList"
import { Listings } from "@venue/storage/listing/Listings"
import * as LiveListings from "@venue/storage/listing/LiveListings"
import { ListingReach } from "@venue/storage/listing/LiveListings"
import * as LivingGateways from "@venue/storage/nodes/LivingGateways"
import { Nodes } from "@venue/storage/nodes/Nodes"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { Effect, Layer, Option, Schedule } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Agreed from "./Agreed.ts"
import * as Agreement from "./Agreement.ts"
import { Membership } from "./Membership.ts"
import type { NodeSettings } from "./NodeSettings.ts"
import type * as Pools from "./Pools.ts"
import * as SecretKeys from "./SecretKeys.ts"
import * as Production from "./Production.ts"
import * as StartMode from "./StartMode.ts"
import * as Tracing from "./Tracing.ts"
import * as WalletConnection from "./WalletConnection.ts"
import * as Witnessing from "./witness/Witnessing.ts"
import * as RunningRules from "./RunningRules.ts"

export interface NodeTerms {
  /** This node's address in the node table. */
  readonly address: string
  readonly contracts: ListedContracts
}

/** Returns the layers. The node joins before its services start and leaves after they have stopped. */
export const layer = (settings: NodeSettings, pools: Pools.Pools, { address, contracts }: NodeTerms) => {
  const nodeId = SecureRandom.uuidV4Unsafe()
  return Layer.merge(LivingGateways.layer, NodeList.layer).pipe(
    Layer.provideMerge(
      Layer.effect(ListingReach, LiveListings.follow(contracts, nodeId)).pipe(
        Layer.provide(Layer.fresh(Listings.layer))
      )
    ),
    Layer.provideMerge(
      Membership.layer({
        nodeId,
        name: settings.name,
        kind: settings.kind,
        address,
        release,
        settings: Agreement.hashesOf(settings)
      })
    ),
    Layer.provideMerge(Nodes.layer),
    Layer.provideMerge(Layer.effectDiscard(settings.kind === "gateway" ? RunningRules.check(settings) : Effect.void)),
    Layer.provideMerge(Agreed.runningVenueSettings(settings, contracts)),
    // On the pool of the audit log: a change and its audit entry are in one transaction.
    Layer.provideMerge(RunningSettings.layer({ given: settings.initial }).pipe(Layer.provide(pools.access))),
    Layer.provideMerge(Seal.layer(settings.key, ...SecretKeys.all(settings.keys).slice(1))),
    Layer.provideMerge(Witnessing.layer(witnessOf(settings))),
    Layer.provideMerge(Layer.effectDiscard(StartMode.apply(settings))),
    Layer.provideMerge(Layer.effectDiscard(Production.checkDatabase(settings))),
    Layer.provideMerge(FixedSettings.layerShared(Agreed.fixed(settings, ...SecretKeys.all(settings.keys)))),
    Layer.provideMerge(DatabaseClock.layer),
    Layer.provide(pools.nodes),
    Layer.provideMerge(DatabaseClock.layerShifted),
    Layer.provideMerge(Layer.succeed(DatabaseClock.ClockShift)(settings.clockShiftMillis)),
    Layer.provideMerge(Tracing.layer(settings))
  )
}

/** Only runners know the wallet. They own all streams, so the wallet receives all of them. */
const witnessOf = ({
  arbitrum,
  environment,
  kind,
  name,
  tron,
  witnessDir
}: NodeSettings): Witnessing.WitnessOptions => ({
  name,
  directory: witnessDir,
  isExpected: kind === "runner" && environment !== "development",
  wallet: kind === "runner" ? WalletConnection.of(arbitrum, tron) : Option.none()
})

export const clusterOptions = ({ dialFrom, lockSeconds, tls }: NodeSettings): ClusterNodeOptions => ({
  lockSeconds,
  tls,
  dialFrom: Option.getOrUndefined(dialFrom)
})

export const awaited = (holds: () => boolean) =>
  Effect.repeat(Effect.void, { until: holds, schedule: Schedule.spaced("20 millis") })
