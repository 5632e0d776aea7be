/** Registry of this node's desks, markets and gateways, which code on the same node calls as functions. */
import type { TraderCommand } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Charge } from "@venue/domain/RateLimits"
import type { MarketPreview, PreviewCommand } from "@venue/domain/Preview"
import type { RestBucket } from "@venue/domain/RestRates"
import type { UserId } from "@venue/domain/UserId"
import { Context, type Effect, Layer, type Stream } from "effect"
import type { CommittedBatch } from "../feed/Batch.ts"
import type { AccountSummary, Read, Submission, Submitted } from "../protocol/Desk.ts"
import type { DepthAt, TraderViews, Unavailable, Viewer, Watched } from "../protocol/Market.ts"

/** Observer of the rows that a market on this node commits. */
export interface Watcher {
  /** Called with each committed row, in order. */
  readonly batch: (batch: CommittedBatch) => void
  /** Called with the newest committed row, once the journal has confirmed that no other owner has claimed the log. */
  readonly head: (epoch: number, seq: number) => void
  /** Called when the market leaves this node. */
  readonly closed: () => void
}

export interface LocalMarket {
  /** Decides the commands immediately. Calls `done` with true on commit, or false if the outcome is unknown. */
  readonly submit: (commands: ReadonlyArray<TraderCommand>, done: (committed: boolean) => void) => void
  /** Returns the newest committed row, or undefined if log ownership was not confirmed within the last 2 s. */
  readonly head: () => { readonly epoch: number; readonly seq: number } | undefined
  /** Reports the head immediately, then every later committed batch. Returns a function that ends the watch. */
  readonly watch: (watcher: Watcher) => () => void
  /** Streams the same rows as messages for another node, with a heartbeat every second. */
  readonly stream: Stream.Stream<Watched, Unavailable>
  readonly view: (traders: ReadonlyArray<Viewer>) => Effect.Effect<TraderViews, Unavailable>
  readonly depth: Effect.Effect<DepthAt, Unavailable>
  readonly preview: (command: PreviewCommand) => Effect.Effect<MarketPreview, Unavailable>
}

/** `submit` and `summary` return undefined if the response has to wait; the caller then sends a message. */
export interface LocalDesk {
  readonly submit: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submitted> | undefined
  readonly summary: (read: Read) => AccountSummary | undefined
  readonly spendRest: (userId: UserId, bucket: RestBucket, weight: number) => Charge
  /** Whether orders of connections that an earlier process armed are still being cancelled. */
  readonly isEndingOrphans: () => boolean
  /** Whether any connection is armed or its disarming is not recorded yet. */
  readonly isArmed: () => boolean
}

/** An entity is added when it starts to serve and removed when it stops. */
export class LocalEntities extends Context.Service<
  LocalEntities,
  {
    readonly markets: Map<MarketSymbol, LocalMarket>
    readonly desks: Map<string, LocalDesk>
    /** Ids of this process's trade gateways. An id stays registered until the process exits. */
    readonly gateways: Set<string>
  }
>()("@venue/cluster/LocalEntities") {
  static readonly layer = Layer.sync(LocalEntities, () =>
    LocalEntities.of({ markets: new Map(), desks: new Map(), gateways: new Set() })
  )
}

/** Replaces an entity on this node before it is registered in `LocalEntities`. Production leaves entities unchanged. */
export interface Interception {
  readonly desk: (desk: LocalDesk) => LocalDesk
  readonly market: (market: LocalMarket) => LocalMarket
}

export const Interception = Context.Reference<Interception>("@venue/cluster/clients/LocalEntities/Interception", {
  defaultValue: () => ({ desk: (desk) => desk, market: (market) => market })
})
