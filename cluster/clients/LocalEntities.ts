/** The entities that live on this node, to be called as functions: a client or a feed that finds one here needs no call. */
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

export interface Watcher {
  readonly batch: (batch: CommittedBatch) => void
  /** The market is recorded up to `seq`, and no other owner had its log a moment ago. */
  readonly head: (epoch: number, seq: number) => void
  /** The market left this node. */
  readonly closed: () => void
}

export interface LocalMarket {
  /** Decides now; `done` is called when all that was decided is committed, or when that will not be known. */
  readonly submit: (commands: ReadonlyArray<TraderCommand>, done: (committed: boolean) => void) => void
  /** Where its log stands, as long as it was proven within the last two seconds that no other owner has it. */
  readonly head: () => { readonly epoch: number; readonly seq: number } | undefined
  /** Hands the head at once, then every batch committed after it. Returns how to stop. */
  readonly watch: (watcher: Watcher) => () => void
  /** The same as rows that travel, with heads now and then. */
  readonly stream: Stream.Stream<Watched, Unavailable>
  readonly view: (traders: ReadonlyArray<Viewer>) => Effect.Effect<TraderViews, Unavailable>
  readonly depth: Effect.Effect<DepthAt, Unavailable>
  readonly preview: (command: PreviewCommand) => Effect.Effect<MarketPreview, Unavailable>
}

/** Undefined stands for what has to wait, for a trader to wake or a market to answer: it is asked as from elsewhere. */
export interface LocalDesk {
  readonly submit: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submitted> | undefined
  readonly summary: (asked: Read) => AccountSummary | undefined
  readonly spendRest: (userId: UserId, bucket: RestBucket, weight: number) => Charge
  /** Whether cancels are on their way for connections that ended with an earlier process. */
  readonly isEndingOrphans: () => boolean
  /** Whether a connection is armed, or that it is so no longer is not recorded yet. */
  readonly isArmed: () => boolean
}

/** What is here now; an entity enters when it serves and leaves when it stops. */
export class LocalEntities extends Context.Service<
  LocalEntities,
  {
    readonly markets: Map<MarketSymbol, LocalMarket>
    readonly desks: Map<string, LocalDesk>
    /** Trade gateways of this process, by the id that desks know them by: they live as long as it does. */
    readonly gateways: Set<string>
  }
>()("@venue/cluster/LocalEntities") {
  static readonly layer = Layer.sync(LocalEntities, () =>
    LocalEntities.of({ markets: new Map(), desks: new Map(), gateways: new Set() })
  )
}

/** Replaces an entity of this node before it is registered in `LocalEntities`. Production leaves entities unchanged. */
export interface Interception {
  readonly desk: (desk: LocalDesk) => LocalDesk
  readonly market: (market: LocalMarket) => LocalMarket
}

export const Interception = Context.Reference<Interception>("@venue/cluster/clients/LocalEntities/Interception", {
  defaultValue: () => ({ desk: (desk) => desk, market: (market) => market })
})
