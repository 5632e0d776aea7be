/** One committed row of a market's log, as the market's watchers receive it. */
import type { Instrument } from "@venue/domain/Instrument"
import type { Level, MarketEvent } from "@venue/domain/Market"

/** A decoded row, with the new totals of the price levels that it changed. */
export interface Batch {
  readonly instrument: Instrument
  readonly epoch: number
  readonly seq: number
  readonly events: ReadonlyArray<MarketEvent>
  readonly levels: ReadonlyArray<Level>
  /** The row in the journal's encoding. */
  readonly row?: Uint8Array
}

/** A batch of a market on this node, whose row is sent to watchers on other nodes. */
export interface CommittedBatch extends Batch {
  readonly row: Uint8Array
}
