/** A load's outcome according to the journal, which is the authority for acknowledgements. */
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { PostgresClient } from "./Database.ts"
import type { CountedIds } from "./LoadClient.ts"
import { idReader, symbol } from "./LoadFrames.ts"

const stream = `market/${symbol}`

export const headOf = async (database: PostgresClient): Promise<number> => {
  const { rows } = await database.query<{ seq: string | null }>(
    `select max(seq) as seq from journal where stream = '${stream}'`
  )
  return Number(rows[0]?.seq ?? 0)
}

export interface Recorded {
  readonly rows: number
  readonly events: number
  readonly accepted: CountedIds
  /** Number of this load's accepted orders that any command cancelled. */
  readonly cancelled: number
  readonly trades: number
}

const pageRows = 500

export const since = async (database: PostgresClient, seq: number, tag: string): Promise<Recorded> => {
  const found = { rows: 0, events: 0, trades: 0, cancelled: 0 }
  const accepted = { count: 0, sum: 0 }
  const read = idReader(tag)
  const idOf = (clientOrderId: string): number => read(`order_id":"${clientOrderId}"`)
  for (let at = seq; ;) {
    const { rows } = await database.query<{ seq: string; events: Buffer }>({
      text: "select seq, events from journal where stream = $1 and seq > $2 order by seq limit $3",
      values: [stream, at, pageRows]
    })
    if (rows.length === 0) return { ...found, accepted }
    for (const { events: bytes, seq } of rows) {
      at = Number(seq)
      if (bytes.length === 0) continue
      const events = MarketRecord.decode(bytes)
      found.rows++
      found.events += events.length
      for (const event of events) {
        if (event._tag === "Traded") found.trades++
        if (event._tag !== "Accepted" && event._tag !== "Ended") continue
        const id = idOf(event.order.clientOrderId)
        if (id === 0) continue
        if (event._tag === "Accepted") {
          accepted.count++
          accepted.sum += id
        } else if (event.status === "CANCELLED") found.cancelled++
      }
    }
  }
}
