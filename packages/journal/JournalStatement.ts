/** The one statement of a flush: rows that follow a row of their own epoch, and what rides along with them. */
import { types } from "@venue/postgres/Column"
import type { AccountRow, Alongside, AuditedDeed, RedeemedCode, WakeUpChange } from "./JournalStream.ts"
import * as JournalTreasury from "./JournalTreasury.ts"
import type { Draft } from "./OpenStream.ts"

/**
 * The previous row is asked for as a value, not joined: rows keep their sorted order, and each question is one look
 * into the index. Somebody else's uncommitted row at our key is waited for, then conflicts or is gone.
 */
const append = `
  insert into journal (stream, seq, epoch, events)
  select r.stream, r.seq, r.epoch, r.events
  from unnest($1::text[], $2::bigint[], $3::integer[], $4::bytea[]) as r (stream, seq, epoch, events)
  where (select p.epoch from journal p where p.stream = r.stream and p.seq = r.seq - 1) = r.epoch
  on conflict do nothing
  returning stream, epoch`

/** The same of one row, the commonest flush of all, without taking arrays apart. */
const appendOne = `
  insert into journal (stream, seq, epoch, events)
  select $1::text, $2::bigint, $3::integer, $4::bytea
  where (select p.epoch from journal p where p.stream = $1 and p.seq = $2 - 1) = $3
  on conflict do nothing
  returning stream, epoch`

/** Whether the row that the part rides along with was accepted. */
const isWon = "w.draft = any ((select array_agg(won.epoch || ' ' || won.stream) from won)::text[])"

/** Parts of a statement come after its rows, and their arrays after those of the rows. */
const wakeUps = `
  set as (
    insert into wake_up (user_id, reason, detail, desk)
    select w.user_id, w.reason, w.detail, w.desk
    from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[]) as w (draft, user_id, reason, detail, desk)
    where ${isWon}
    on conflict do nothing
  ),
  removed as (
    delete from wake_up u
    using unnest($10::text[], $11::text[], $12::text[], $13::text[]) as w (draft, user_id, reason, detail)
    where ${isWon}
      and u.user_id = w.user_id and u.reason = w.reason and u.detail = w.detail
  )`

const rareRows = `
  opened as (
    insert into account (account_id, user_id, opened_at)
    select w.account_id, u.user_id, now()
    from unnest($14::text[], $15::text[], $16::text[]) as w (draft, user_id, account_id)
    join venue_user u on u.user_id = w.user_id
    where ${isWon}
    on conflict do nothing
  ),
  redeemed as (
    update invitation_code c set held_for = w.user_id, redeemed_at = now()
    from unnest($17::text[], $18::text[], $19::text[]) as w (draft, user_id, code)
    where ${isWon} and c.code = w.code
  ),
  audited as (
    insert into audit (recorded_at, action, actor, user_id, facts)
    select w.at, w.action, w.actor, w.subject, w.facts
    from unnest($20::text[], $21::timestamptz[], $22::text[], $23::text[], $24::text[], $25::jsonb[])
      as w (draft, at, action, actor, subject, facts)
    where ${isWon}
  )`

/** The rows go first: the other parts are asked for once all of `won` is known, so every node locks in one order. */
const appendWith = (...parts: ReadonlyArray<string>) =>
  `with won as (${append}),${parts.join(",")} select stream, epoch from won`

const appendWithWakeUps = appendWith(wakeUps)
const appendWithRareRows = appendWith(wakeUps, rareRows)
const appendWithAll = appendWith(wakeUps, rareRows, JournalTreasury.parts(26, isWon))

export interface Statement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

export const ofDrafts = (drafts: ReadonlyArray<Draft>): Statement => {
  const rides = drafts.some((draft) => draft.alongside.length > 0)
  const [only] = drafts
  if (only !== undefined && drafts.length === 1 && !rides) {
    return { text: appendOne, parameters: [only.stream, BigInt(only.seq), only.epoch, only.events] }
  }
  const rows = [
    drafts.map((draft) => draft.stream),
    drafts.map((draft) => BigInt(draft.seq)),
    drafts.map((draft) => draft.epoch),
    drafts.map((draft) => draft.events)
  ]
  if (!rides) return { text: append, parameters: rows }
  const entries = net(drafts)
  const set = entries.filter(({ entry }) => entry._tag === "WakeUp")
  const ended = entries.filter(({ entry }) => entry._tag === "WakeUpEnded")
  const parameters = [...rows, ...columns(set), set.map(({ entry }) => entry.desk), ...columns(ended)]
  const accounts = ridesOf(drafts, isAccount)
  const codes = ridesOf(drafts, isCode)
  const deeds = ridesOf(drafts, isDeed)
  const steps = ridesOf(drafts, isTreasuryStep)
  if (accounts.length + codes.length + deeds.length + steps.length === 0) return { text: appendWithWakeUps, parameters }
  const withRareRows = [
    ...parameters,
    accounts.map(([draft]) => draft),
    accounts.map(([, { userId }]) => userId),
    accounts.map(([, { accountId }]) => accountId),
    codes.map(([draft]) => draft),
    codes.map(([, { userId }]) => userId),
    codes.map(([, { code }]) => code),
    deeds.map(([draft]) => draft),
    deeds.map(([, { atMillis }]) => new Date(atMillis)),
    deeds.map(([, { action }]) => action),
    deeds.map(([, { actor }]) => actor),
    deeds.map(([, { subject }]) => subject),
    deeds.map(([, { facts }]) => types.jsonb.convert(facts))
  ]
  if (steps.length === 0) return { text: appendWithRareRows, parameters: withRareRows }
  return { text: appendWithAll, parameters: [...withRareRows, ...JournalTreasury.parameters(steps)] }
}

/** Those of one kind, each beside the row that it rides along with. */
const ridesOf = <Kind extends Alongside>(drafts: ReadonlyArray<Draft>, isKind: (ride: Alongside) => ride is Kind) =>
  drafts.flatMap((draft) => draft.alongside.filter(isKind).map((ride) => [rowName(draft), ride] as const))

/** Which drafts the statement's answer names; nearly always all of them. */
export const verdicts = (
  drafts: ReadonlyArray<Draft>,
  answer: ReadonlyArray<ReadonlyArray<unknown>>
): ReadonlyArray<boolean> => {
  if (answer.length === drafts.length) return drafts.map(() => true)
  const won = new Set(answer.map(([stream, epoch]) => `${epoch} ${stream}`))
  return drafts.map((draft) => won.has(rowName(draft)))
}

const rowName = ({ epoch, stream }: Draft): string => `${epoch} ${stream}`

interface Entry {
  /** The draft it rides along with. */
  readonly row: string
  readonly key: string
  readonly entry: WakeUpChange
}

const isWakeUp = (ride: Alongside): ride is WakeUpChange => ride._tag === "WakeUp" || ride._tag === "WakeUpEnded"
const isAccount = (ride: Alongside): ride is AccountRow => ride._tag === "AccountRow"
const isCode = (ride: Alongside): ride is RedeemedCode => ride._tag === "RedeemedCode"
const isDeed = (ride: Alongside): ride is AuditedDeed => ride._tag === "AuditedDeed"
const isTreasuryStep = (ride: Alongside): ride is JournalTreasury.TreasuryStep => ride._tag === "TreasuryStep"

/**
 * All parts of the statement see the table as it was before, so each key is told its last word only. Between two
 * streams a wake-up outlasts its end: one too many is answered and goes, one too few would let a trader sleep.
 */
const net = (drafts: ReadonlyArray<Draft>): ReadonlyArray<Entry> => {
  const entries = new Map<string, Entry>()
  for (const draft of drafts) {
    const row = rowName(draft)
    for (const entry of draft.alongside) {
      if (!isWakeUp(entry)) continue
      const key = JSON.stringify([entry.userId, entry.reason, entry.detail])
      const before = entries.get(key)
      if (before !== undefined && before.row !== row && before.entry._tag === "WakeUp") continue
      entries.set(key, { row, key, entry })
    }
  }
  return [...entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

const columns = (entries: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<string>> => [
  entries.map(({ row }) => row),
  entries.map(({ entry }) => entry.userId),
  entries.map(({ entry }) => entry.reason),
  entries.map(({ entry }) => entry.detail)
]
