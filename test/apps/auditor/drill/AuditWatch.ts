/** Watches an audited venue during other work: its mode and the age of its audits. */
import type { PostgresClient } from "../../../bench/Database.ts"
import { after } from "../../../bench/VenueProcess.ts"

export interface Seen {
  isOver: boolean
  audits: number
  /** Maximum age of the newest audit, in seconds. */
  oldest: number
  fault: string | null
}

/** Reads the venue's mode ten times a second until stopped. */
export const watch = (database: PostgresClient): { readonly seen: Seen; readonly stop: () => Promise<void> } => {
  const seen: Seen = { isOver: false, audits: 0, oldest: 0, fault: null }
  let last = ""
  const looking = (async () => {
    while (!seen.isOver) {
      const { rows } = await database.query<{ at: string | null; age: number | null; reason: string | null }>(`
        select audited_at::text as at, extract(epoch from clock_timestamp() - audited_at)::float8 as age,
          coalesce(fault, case when trading <> 'TRADING' or withdrawals <> 'OPEN' then reason end) as reason
        from venue_mode`)
      const { age, at, reason } = rows[0]!
      if (at !== null && at !== last) {
        last = at
        seen.audits++
      }
      seen.oldest = Math.max(seen.oldest, age ?? 0)
      seen.fault ??= reason
      await after(100)
    }
  })()
  return {
    seen,
    stop: () => {
      seen.isOver = true
      return looking
    }
  }
}
