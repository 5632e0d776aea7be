/**
 * What each rail held, as it was asked, is held against what it was to hold: the deposits that the journal has credited, and what
 * the tables say of each deposit and withdrawal that the answer and the books do not agree on yet (I12, `docs/design/treasury.md`).
 */
import type { RailName } from "@venue/domain/Rail"
import type { TraderEvent } from "@venue/domain/Trader"
import type { RailAudit } from "@venue/storage/audit/RailAudits"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** What was credited on each rail and not reversed since, added up from the journal. */
export type Deposited = Map<string, bigint>

export const take = (deposited: Deposited, events: ReadonlyArray<TraderEvent>): void => {
  for (const event of events) {
    if (event._tag !== "Deposited" && event._tag !== "DepositReversed") continue
    const amount = event._tag === "Deposited" ? event.amount : -event.amount
    deposited.set(event.rail, (deposited.get(event.rail) ?? 0n) + amount)
  }
}

/** The newest of every rail, in the snapshot that is read: those that were audited before are as they were found then. */
export const read = (
  sql: SqlClient.SqlClient,
  deposited: Deposited
): Effect.Effect<ReadonlyArray<RailAudit>, SqlError> =>
  Effect.map(sql.unsafe(asked).valuesUnprepared, (rows) =>
    rows.map(
      ([rail, number, amount, position, asOf, deposits, uncredited, left, own, audited, books, before, times]) => {
        const about = {
          rail: rail as RailName,
          number: Number(number),
          amount: big(amount),
          position: String(position)
        }
        const found = { ...about, asOfMillis: Number(asOf), uncredited: big(uncredited) }
        if (Number(audited) === found.number)
          return { ...found, books: big(books), uncredited: big(before), times: Number(times) }
        const due = (deposited.get(found.rail) ?? 0n) + big(deposits) - big(left) + big(own)
        return { ...found, books: due, times: due === found.amount ? 0 : Number(times) + 1 }
      }
    )
  )

/** One that was seen twice in a row; null for none. */
export const differenceOf = (audits: ReadonlyArray<RailAudit>): string | null => {
  const told = audits
    .filter(({ times }) => times >= 2)
    .map(
      ({ amount, books, position, rail }) =>
        `${rail} holds ${amount} at ${position}, where the books say ${books} (in 1e-6 USD, ${amount - books} off)`
    )
  return told.length === 0 ? null : told.join("; ")
}

const big = (value: unknown): bigint => BigInt(String(value))

/**
 * `is_in`: whether the holding includes the deposit, the venue's own deposits too. It includes a deposit that the bank took back
 * after the holding was read. A withdrawal has left the holding where the rail reported that, or where it ended before the read.
 */
const asked = `
  select h.rail, h.number, h.amount::text, h.position, (extract(epoch from h.as_of) * 1000)::float8,
    d.off::text, d.uncredited::text, w.amount::text, o.amount::text,
    coalesce(a.number, 0), coalesce(a.books, 0)::text, coalesce(a.uncredited, 0)::text, coalesce(a.times, 0)
  from rail_holding h
  left join rail_audit a on a.rail = h.rail
  cross join lateral (
    select
      coalesce(sum(case when is_in then amount else 0 end - case when state = 'CREDITED' then amount else 0 end), 0) as off,
      coalesce(sum(amount) filter (where is_in and state <> 'CREDITED'), 0) as uncredited
    from (
      select amount, state, case
        when h.block is null then detected_at <= h.as_of
          and case when is_returned then coalesce(returned_at > h.as_of, false) else state <> 'DROPPED' end
        else state <> 'DROPPED' and gone_since is null and block_number <= h.block
          and (state <> 'REVERSED' or reason = 'seen-again')
      end as is_in
      from deposit
      where network = h.rail and h.number is distinct from a.number and reason is distinct from 'venue-own'
    ) one
  ) d
  cross join lateral (
    select coalesce(sum(amount - fee), 0) as amount from withdrawal
    where rail = h.rail and h.number is distinct from a.number and (
      withdrawal_id = any(h.left_ids)
      or (state = 'SETTLED' and updated_at <= h.as_of and withdrawal_id <> all(h.waiting_ids))
    )
  ) w
  cross join lateral (
    select -coalesce(sum(amount), 0) as amount from ledger_entry
    where stream >= 'own-money/' and stream < 'own-money0' and account = 'external/' || h.rail
  ) o
  order by h.rail`
