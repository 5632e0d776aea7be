/** Rows of a market that are decided and not committed, with those who wait for them: one is open, the others are on their way. */
import type { Level, MarketEvent } from "@venue/domain/Market"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Engine from "@venue/matching/Engine"

/** Is told whether all that had been decided is committed, or that this will not be known. */
export type Done = (committed: boolean) => void

/** Takes its value from the state a row leaves behind, or from nothing; what it returns is told the seq of that row. */
export type Read = (engine: Engine.Engine | undefined) => (seq: number | undefined) => void

interface OpenRow {
  readonly events: Array<MarketEvent>
  readonly dones: Array<Done>
  readonly reads: Array<Read>
}

export interface FlyingRow {
  readonly events: ReadonlyArray<MarketEvent>
  readonly levels: ReadonlyArray<Level>
  /** As the journal holds it. */
  readonly row: Uint8Array
  readonly dones: Array<Done>
  readonly answers: Array<(seq: number | undefined) => void>
}

export interface PendingRows {
  /** The events that the next row will hold. What is decided is added to them. */
  readonly open: () => Array<MarketEvent>
  /** Waits for all that has been decided so far; true at once when nothing is pending. */
  readonly await: (done: Done) => void
  /** Reads the state that the last row which was decided leaves behind; where nothing is pending, that is the row at `seq`. */
  readonly read: (read: Read, engine: Engine.Engine, seq: number) => void
  /** The open row as the journal will hold it, on its way from now on; undefined when it is empty. */
  readonly collect: (engine: Engine.Engine) => Uint8Array | undefined
  /** The row that was longest on its way is committed. */
  readonly committed: () => FlyingRow
  /** All of them are forgotten, and those who wait are told so. */
  readonly abandon: () => void
}

export const make = (): PendingRows => {
  const flying: Array<FlyingRow> = []
  let open = emptyRow()
  return {
    open: () => open.events,
    await: (done) => {
      if (open.events.length > 0) open.dones.push(done)
      else if (flying.length > 0) flying.at(-1)!.dones.push(done)
      else done(true)
    },
    read: (read, engine, seq) => {
      if (open.events.length > 0) open.reads.push(read)
      else if (flying.length > 0) flying.at(-1)!.answers.push(read(engine))
      else read(engine)(seq)
    },
    collect: (engine) => {
      if (open.events.length === 0) return undefined
      const { dones, events, reads } = open
      open = emptyRow()
      const row = MarketRecord.encode(events)
      flying.push({ events, levels: Engine.touched(engine), row, dones, answers: reads.map((read) => read(engine)) })
      return row
    },
    committed: () => flying.shift()!,
    abandon: () => {
      const rows = flying.splice(0)
      const dones = [...rows, open].flatMap((row) => row.dones)
      const answers = [...rows.flatMap((row) => row.answers), ...open.reads.map((read) => read(undefined))]
      open = emptyRow()
      for (const done of dones) done(false)
      for (const answer of answers) answer(undefined)
    }
  }
}

const emptyRow = (): OpenRow => ({ events: [], dones: [], reads: [] })
