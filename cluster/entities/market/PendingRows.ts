/** A market's decided but uncommitted rows with their waiters: one open row, and rows in flight to the journal. */
import type { Level, MarketEvent } from "@venue/domain/Market"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Engine from "@venue/matching/Engine"

/** Called with true once all earlier decisions are committed, or with false if the outcome is unknown. */
export type Done = (committed: boolean) => void

/**
 * Called with the engine's state after a row, or with undefined if the row was abandoned first. The returned function
 * is called when the row's outcome is known: with its number if it is committed, otherwise with undefined.
 */
export type Read = (engine: Engine.Engine | undefined) => (seq: number | undefined) => void

interface OpenRow {
  readonly events: Array<MarketEvent>
  readonly dones: Array<Done>
  readonly reads: Array<Read>
}

export interface InFlightRow {
  readonly events: ReadonlyArray<MarketEvent>
  readonly levels: ReadonlyArray<Level>
  /** The row as the journal stores it. */
  readonly row: Uint8Array
  readonly dones: Array<Done>
  readonly answers: Array<(seq: number | undefined) => void>
}

export interface PendingRows {
  /** Returns the events of the open row, to which new decisions are appended. */
  readonly open: () => Array<MarketEvent>
  /** Calls `done` once all earlier decisions are committed, or immediately with true if nothing is pending. */
  readonly await: (done: Done) => void
  /** Reads the state after the newest decision, which is the state at `seq` if nothing is pending. */
  readonly read: (read: Read, engine: Engine.Engine, seq: number) => void
  /** Encodes the open row and marks it as in flight. Returns undefined if the row is empty. */
  readonly collect: (engine: Engine.Engine) => Uint8Array | undefined
  /** Removes and returns the oldest in-flight row, which is now committed. */
  readonly committed: () => InFlightRow
  /** Drops all rows and calls back their waiters with an unknown outcome. */
  readonly abandon: () => void
}

export const make = (): PendingRows => {
  const inFlight: Array<InFlightRow> = []
  let open = emptyRow()
  return {
    open: () => open.events,
    await: (done) => {
      if (open.events.length > 0) open.dones.push(done)
      else if (inFlight.length > 0) inFlight.at(-1)!.dones.push(done)
      else done(true)
    },
    read: (read, engine, seq) => {
      if (open.events.length > 0) open.reads.push(read)
      else if (inFlight.length > 0) inFlight.at(-1)!.answers.push(read(engine))
      else read(engine)(seq)
    },
    collect: (engine) => {
      if (open.events.length === 0) return undefined
      const { dones, events, reads } = open
      open = emptyRow()
      const row = MarketRecord.encode(events)
      inFlight.push({ events, levels: Engine.touched(engine), row, dones, answers: reads.map((read) => read(engine)) })
      return row
    },
    committed: () => inFlight.shift()!,
    abandon: () => {
      const rows = inFlight.splice(0)
      const dones = [...rows, open].flatMap((row) => row.dones)
      const answers = [...rows.flatMap((row) => row.answers), ...open.reads.map((read) => read(undefined))]
      open = emptyRow()
      for (const done of dones) done(false)
      for (const answer of answers) answer(undefined)
    }
  }
}

const emptyRow = (): OpenRow => ({ events: [], dones: [], reads: [] })
