/** This node's copy of one market's log: the head and the book levels. Rows are applied without gaps or repeats. */
import type { Level } from "@venue/domain/Market"
import type { Clock } from "effect"
import type { Batch } from "./Batch.ts"
import type { LocalMarket } from "../clients/LocalEntities.ts"
import * as Depth from "./Depth.ts"

/** Newest applied row of a market. */
export interface Head {
  readonly epoch: number
  readonly seq: number
  /** Last time at which a row or heartbeat showed that the market and its journal work. */
  readonly aliveAtMillis: number
}

export interface FollowedLog {
  /** Returns the newest applied row, or undefined before the first watch of the market has begun. */
  readonly head: () => Head | undefined
  readonly depth: Pick<Depth.Depth, "best" | "levels">
  /** Records that `seq` is now the market's newest row. */
  readonly confirm: (epoch: number, seq: number) => void
  /** Applies the next batch; ignores a repeated one. Returns false if there is a gap. */
  readonly advance: (batch: Batch) => boolean
  readonly reset: (levels: ReadonlyArray<Level>) => void
  /** Reads the head directly from a market on this node, which sends no heartbeats. Returns a detach function. */
  readonly attach: (market: LocalMarket) => () => void
  readonly isAttached: () => boolean
}

/** Passes each applied batch to `dispatch`. */
export const make = (clock: Clock.Clock, dispatch: (batch: Batch) => void): FollowedLog => {
  const depth = Depth.make()
  let last: Head | undefined
  let attached: LocalMarket | undefined

  const confirm = (epoch: number, seq: number) => {
    last = { epoch, seq, aliveAtMillis: clock.currentTimeMillisUnsafe() }
  }

  return {
    head: () => {
      const now = attached?.head()
      if (now !== undefined && last !== undefined && now.seq === last.seq && now.epoch >= last.epoch) {
        confirm(now.epoch, now.seq)
      }
      return last
    },
    depth,
    confirm,
    advance: (batch) => {
      const seq = last?.seq ?? 0
      if (batch.seq <= seq) return true
      if (batch.seq > seq + 1) return false
      confirm(batch.epoch, batch.seq)
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
