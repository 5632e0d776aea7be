/**
 * Compares each rail's reported holding with the expected holding. The expected holding is the sum of the deposits
 * that the journal credited, corrected by the deposits and withdrawals that only the report or only the books include
 * (I12, `docs/design/treasury.md`).
 */
import type { RailName } from "@venue/domain/Rail"
import type { TraderEvent } from "@venue/domain/Trader"
import type { RailAudit } from "@venue/storage/audit/RailAudits"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** Sum of the credited deposits that were not reversed, by rail, from the journal; in 1e-6 USD. */
export type Deposited = Map<string, bigint>

export const take = (deposited: Deposited, events: ReadonlyArray<TraderEvent>): void => {
  for (const event of events) {
    if (event._tag !== "Deposited" && event._tag !== "DepositReversed") continue
    const amount = event._tag === "Deposited" ? event.amount : -event.amount
    deposited.set(event.rail, (deposited.get(event.rail) ?? 0n) + amount)
  }
}

/** Audits each rail's newest holding in the current snapshot. A holding that was audited before keeps its result. */
export const read = (
  sql: SqlClient.SqlClient,
  deposited: Deposited
): Effect.Effect<ReadonlyArray<RailAudit>, SqlError> =>
  Effect.map(sql.unsafe(holdings).valuesUnprepared, (rows) =>
    rows.map(
      ([rail, number, amount, position, asOf, deposits, uncredited, left, own, audited, books, before, times]) => {
        const holding = {
          rail: rail as RailName,
          number: Number(number),
          amount: big(amount),
          position: String(position),
          asOfMillis: Number(asOf),
          uncredited: big(uncredited)
        }
        if (Number(audited) === holding.number)
          return { ...holding, books: big(books), uncredited: big(before), times: Number(times) }
        const due = (deposited.get(holding.rail) ?? 0n) + big(deposits) - big(left) + big(own)
        return { ...holding, books: due, times: due === holding.amount ? 0 : Number(times) + 1 }
      }
    )
  )

/** Returns the differences present in at least two successive holdings, or null. */
export const differenceOf = (audits: ReadonlyArray<RailAudit>): string | null => {
  const differences = audits
    .filter(({ times }) => times >= 2)
    .map(
      ({ amount, books, position, rail }) =>
        `${rail} holds ${amount} at ${position}; the books have ${books} (in 1e-6 USD; difference ${amount - books})`
    )
  return differences.length === 0 ? null : differences.join("; ")
}

const big = (value: unknown): bigint => BigInt(String(value))

/**
 * `is_in`: whether the holding includes the deposit, even if the bank returned it after the read. `w`: withdrawals
 * that have left the holding, because the rail reported so or because they settled before the read. `o`: the venue's
 * own money.
 */
const holdings = `
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
    ) of_rail
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
