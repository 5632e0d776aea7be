/** Sources of alarms, and how an alarm gets its id. */
import type { Alarm, Kind } from "@venue/api/admin/Alarms"
import type { AlarmReading, SeenAlarm } from "@venue/domain/AlarmPush"
import { createHash } from "node:crypto"

export type Reading = AlarmReading<Alarm>

/** An alarm without its id. */
export type Condition = Omit<Alarm, "id">

/** Returns the reading of a source with these conditions. */
export const reading = (source: string, conditions: ReadonlyArray<Condition>): Reading => ({
  source,
  alarms: conditions.map((condition) => seen(source, condition))
})

/** Returns the reading of a source that does not answer. */
export const silence = (source: string): Reading => ({ source, alarms: undefined })

/** The id depends only on what the alarm is about, so that all nodes and all episodes have the same id. */
const seen = (source: string, condition: Condition): SeenAlarm<Alarm> => {
  const { account_id, deposit_id, kind, node, operator, path, price_source, rail, replica, symbol, withdrawal_id } =
    condition
  const about = [
    source,
    kind,
    symbol,
    account_id,
    rail,
    withdrawal_id,
    deposit_id,
    node,
    path,
    price_source,
    replica,
    operator
  ]
  const alarmId = `alarm_${createHash("sha256").update(JSON.stringify(about)).digest("hex").slice(0, 32)}`
  return { alarmId, alarm: { id: alarmId, ...condition }, raiseAfterMillis: raiseAfterMillis[kind] ?? 0 }
}

/**
 * Time in milliseconds for which an alarm must last before it is pushed. Conditions that a start, a move of shards or
 * a short outage causes end within these times.
 */
const raiseAfterMillis: { readonly [K in Kind]?: number } = {
  UNREACHABLE: 60_000,
  NO_PRICE: 60_000,
  AUDIT_LATE: 60_000,
  WITHDRAWALS_BLOCKED: 15_000,
  NODE_LOST: 10_000,
  DATABASE_OUT: 10_000
}
