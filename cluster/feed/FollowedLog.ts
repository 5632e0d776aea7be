/** One market's log as this node has it: where it stands and what the levels hold, taken in without holes or repeats. */
import type { Level } from "@venue/domain/Market"
import type { Clock } from "effect"
import type { Batch } from "./Batch.ts"
import type { LocalMarket } from "../clients/LocalEntities.ts"
import * as Depth from "./Depth.ts"

export interface Head {
  readonly epoch: number
  readonly seq: number
  /** When the market last proved that its log and its journal are alive. */
  readonly heardAtMillis: number
}

export interface FollowedLog {
  /** Undefined until the market was first heard. */
  readonly head: () => Head | undefined
  readonly depth: Pick<Depth.Depth, "best" | "levels">
  /** The market was heard to stand there. */
  readonly hear: (epoch: number, seq: number) => void
  /** Takes the next batch in and drops a repeat; false at a hole. */
  readonly advance: (batch: Batch) => boolean
  /** These are all the levels there are. */
  readonly reset: (levels: ReadonlyArray<Level>) => void
  /** A market of this node that is looked at from now on, as it sends no heartbeats here. Returns how to stop. */
  readonly attach: (market: LocalMarket) => () => void
  /** Such a market is looked at now. */
  readonly isAttached: () => boolean
}

/** Each batch that is taken in goes on to `dispatch`. */
export const make = (clock: Clock.Clock, dispatch: (batch: Batch) => void): FollowedLog => {
  const depth = Depth.make()
  let last: Head | undefined
  let attached: LocalMarket | undefined

  const hear = (epoch: number, seq: number) => {
    last = { epoch, seq, heardAtMillis: clock.currentTimeMillisUnsafe() }
  }

  return {
    head: () => {
      const now = attached?.head()
      if (now !== undefined && last !== undefined && now.seq === last.seq && now.epoch >= last.epoch) {
        hear(now.epoch, now.seq)
      }
      return last
    },
    depth,
    hear,
    advance: (batch) => {
      const seq = last?.seq ?? 0
      if (batch.seq <= seq) return true
      if (batch.seq > seq + 1) return false
      hear(batch.epoch, batch.seq)
      depth.update(batch.levels)
      dispatch(batch)
      return true
    },
    reset: depth.reset,
    attach: (market) => {
      attached = market
      return () => {
        attached = undefined
      }
    },
    isAttached: () => attached !== undefined
  }
}
