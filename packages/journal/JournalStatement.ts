/** Statement of a flush: inserts each row whose predecessor has the same epoch, and the changes that go with it. */
import * as ArrayRows from "@venue/postgres/ArrayRows"
import { types } from "@venue/postgres/Column"
import * as FlushPart from "./FlushPart.ts"
import type { AccountRow, Alongside, AuditedDeed, RedeemedCode, WakeUpChange } from "./JournalStream.ts"
import * as JournalTreasury from "./JournalTreasury.ts"
import type { Draft } from "./OpenStream.ts"

const journalRows = ArrayRows.make<Draft>([
  ["stream", "text", ({ stream }) => stream],
  ["seq", "bigint", ({ seq }) => BigInt(seq)],
  ["epoch", "integer", ({ epoch }) => epoch],
  ["events", "bytea", ({ events }) => events]
])

/**
 * Uses a subquery instead of a join for the epoch of the previous row, so that rows keep their sorted order and each
 * costs one index look-up. If another owner has an uncommitted row with the same key, the insert waits until that row
 * commits or is rolled back.
 */
const append = (from: string) => `
  insert into journal (stream, seq, epoch, events)
  select w.stream, w.seq, w.epoch, w.events
  from ${from}
  where (select p.epoch from journal p where p.stream = w.stream and p.seq = w.seq - 1) = w.epoch
  on conflict do nothing
  returning stream, epoch`

const wakeUps = [
  FlushPart.make<WakeUpChange>({
    name: "set",
    includes: (change): change is WakeUpChange => change._tag === "WakeUp",
    columns: [
      ["user_id", "text", ({ change }) => change.userId],
      ["reason", "text", ({ change }) => change.reason],
      ["detail", "text", ({ change }) => change.detail],
      ["desk", "text", ({ change }) => change.desk]
    ],
    sql: (from) => `
      insert into wake_up (user_id, reason, detail, desk)
      select w.user_id, w.reason, w.detail, w.desk from ${from}
      on conflict do nothing`
  }),
  FlushPart.make<WakeUpChange>({
    name: "removed",
    includes: (change): change is WakeUpChange => change._tag === "WakeUpEnded",
    columns: [
      ["user_id", "text", ({ change }) => change.userId],
      ["reason", "text", ({ change }) => change.reason],
      ["detail", "text", ({ change }) => change.detail]
    ],
    sql: (from) => `
      delete from wake_up u using ${from}
      where u.user_id = w.user_id and u.reason = w.reason and u.detail = w.detail`
  })
]

const rare = [
  FlushPart.make<AccountRow>({
    name: "opened",
    includes: (change) => change._tag === "AccountRow",
    columns: [
      ["user_id", "text", ({ change }) => change.userId],
      ["account_id", "text", ({ change }) => change.accountId]
    ],
    sql: (from) => `
      insert into account (account_id, user_id, opened_at)
      select w.account_id, u.user_id, now() from ${from} join venue_user u on u.user_id = w.user_id
      on conflict do nothing`
  }),
  FlushPart.make<RedeemedCode>({
    name: "redeemed",
    includes: (change) => change._tag === "RedeemedCode",
    columns: [
      ["user_id", "text", ({ change }) => change.userId],
      ["code", "text", ({ change }) => change.code]
    ],
    sql: (from) => `
      update invitation_code c set held_for = w.user_id, redeemed_at = now() from ${from} where c.code = w.code`
  }),
  FlushPart.make<AuditedDeed>({
    name: "audited",
    includes: (change) => change._tag === "AuditedDeed",
    columns: [
      ["at", "timestamptz", ({ change }) => new Date(change.atMillis)],
      ["action", "text", ({ change }) => change.action],
      ["actor", "text", ({ change }) => change.actor],
      ["subject", "text", ({ change }) => change.subject],
      ["facts", "jsonb", ({ change }) => types.jsonb.convert(change.facts)]
    ],
    sql: (from) => `
      insert into audit (recorded_at, action, actor, user_id, facts)
      select w.at, w.action, w.actor, w.subject, w.facts from ${from}`
  })
]

export interface Statement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

/** Builds the statement's text from these parts once; each flush only supplies parameters. */
const withParts = (...parts: ReadonlyArray<FlushPart.FlushPart>) => {
  let first = journalRows.width + 1
  const expressions = parts.map(({ text, width }) => {
    const expression = text(first)
    first += width
    return expression
  })
  // The journal rows are inserted first, because every other part reads all of `won`. Therefore, all nodes lock rows
  // in the same order.
  const text = `with won as (${append(journalRows.from("w"))}),${expressions.join(",")} select stream, epoch from won`
  return (drafts: ReadonlyArray<Draft>, rides: ReadonlyArray<FlushPart.Ride>): Statement => ({
    text,
    parameters: [...journalRows.parameters(drafts), ...parts.flatMap(({ parameters }) => parameters(rides))]
  })
}

const appendOneText = append(journalRows.fromOne("w"))
const appendText = append(journalRows.from("w"))
const appendWithWakeUps = withParts(...wakeUps)
const appendWithRare = withParts(...wakeUps, ...rare)
const appendWithTreasury = withParts(...wakeUps, ...rare, ...JournalTreasury.parts)

/** Returns the statement that writes these drafts. There are five constant texts, each prepared once per connection. */
export const ofDrafts = (drafts: ReadonlyArray<Draft>): Statement => {
  if (drafts.some(({ alongside }) => alongside.length > 0)) {
    const rides = net(drafts)
    if (rides.some(({ change }) => change._tag === "TreasuryStep")) return appendWithTreasury(drafts, rides)
    return rides.every(({ change }) => isWakeUp(change))
      ? appendWithWakeUps(drafts, rides)
      : appendWithRare(drafts, rides)
  }
  const [only] = drafts
  return only !== undefined && drafts.length === 1
    ? { text: appendOneText, parameters: journalRows.parametersOfOne(only) }
    : { text: appendText, parameters: journalRows.parameters(drafts) }
}

/**
 * Returns for each draft whether its row was accepted, that is, whether the returned rows include it. Usually the
 * returned rows include every draft.
 */
export const verdicts = (
  drafts: ReadonlyArray<Draft>,
  returned: ReadonlyArray<ReadonlyArray<unknown>>
): ReadonlyArray<boolean> => {
  if (returned.length === drafts.length) return drafts.map(() => true)
  const won = new Set(returned.map(([stream, epoch]) => `${epoch} ${stream}`))
  return drafts.map((draft) => won.has(rowKeyOf(draft)))
}

const rowKeyOf = ({ epoch, stream }: Draft): string => `${epoch} ${stream}`

const isWakeUp = (change: Alongside): change is WakeUpChange =>
  change._tag === "WakeUp" || change._tag === "WakeUpEnded"

/**
 * Returns all changes, but only the last change to each wake-up entry, because all parts of a statement see the
 * tables as they were before the statement. If two streams change an entry, setting it takes precedence over removing
 * it: an unneeded entry is removed later, but a missing entry would leave a trader unloaded.
 */
const net = (drafts: ReadonlyArray<Draft>): ReadonlyArray<FlushPart.Ride> => {
  const others: Array<FlushPart.Ride> = []
  const entries = new Map<string, FlushPart.Ride>()
  for (const draft of drafts) {
    const rowKey = rowKeyOf(draft)
    for (const change of draft.alongside) {
      if (isWakeUp(change)) {
        const key = JSON.stringify([change.userId, change.reason, change.detail])
        const before = entries.get(key)
        if (before !== undefined && before.rowKey !== rowKey && before.change._tag === "WakeUp") continue
        entries.set(key, { rowKey, change })
      } else others.push({ rowKey, change })
    }
  }
  // Sorted, so that all nodes lock wake-up entries in the same order.
  const sorted = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [...sorted.map(([, ride]) => ride), ...others]
}
