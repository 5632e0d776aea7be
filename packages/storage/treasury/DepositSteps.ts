/** The steps of deposits on Postgres, each one statement. */
import type { DepositState } from "@venue/domain/Deposit"
import type { UserId } from "@venue/domain/UserId"
import { storable } from "@venue/postgres/Column"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import {
  cameAgain,
  type Deposit,
  deposits,
  type DepositsShape,
  type Detected,
  detected,
  nobodys,
  venuesOwn
} from "./DepositTable.ts"
import * as OwnMoney from "./OwnMoney.ts"
import { railActor } from "./Steps.ts"
import * as Suspense from "./Suspense.ts"

export const detect = (sql: SqlClient.SqlClient): DepositsShape["detect"] =>
  Effect.fn("Deposits.detect")(function* ({ block, ...seen }: Detected) {
    const atMillis = yield* Clock.currentTimeMillis
    const at = new Date(atMillis)
    const row = detected(seen, block, atMillis)
    const { batch } = Suspense.held(row, atMillis)
    yield* sql`
      with added as (
        insert into deposit ${deposits.values(row)} on conflict do nothing returning deposit_id
      ),
      held as (
        ${batch.insert(0, batch.rows)} where ${Suspense.isSuspended(row)}::boolean and exists (select 1 from added)
      )
      insert into deposit_step (deposit_id, step, from_state, to_state, actor, at)
      select deposit_id, 1, null, 'DETECTED', ${railActor(seen.rail)}, ${at}::timestamptz from added`
    const [number, hash] = [block === null ? null : BigInt(block.number), block?.hash ?? null]
    yield* sql`
      with moved as (
        update deposit
        set state = case state when 'DROPPED' then 'DETECTED' else state end,
          step = case state when 'DROPPED' then step + 1 else step end,
          updated_at = ${at},
          reason = case state when 'DROPPED' then null when 'REVERSED' then ${cameAgain} else reason end,
          block_number = ${number}::bigint, block_hash = ${hash}::text
        where deposit_id = ${row.depositId} and not is_returned
          and (state = 'DROPPED' or block_hash is distinct from ${hash}::text)
        returning deposit_id, step, state
      )
      insert into deposit_step (deposit_id, step, from_state, to_state, actor, at)
      select m.deposit_id, m.step, 'DROPPED', 'DETECTED', ${railActor(seen.rail)}, ${at}::timestamptz
      from moved m
      where not exists (select 1 from deposit_step s where s.deposit_id = m.deposit_id and s.step = m.step)`
  }, orUnavailable)

/** Before it is credited. */
export const steps = (
  sql: SqlClient.SqlClient
): Pick<DepositsShape, "confirm" | "unconfirm" | "drop" | "offer" | "assign" | "own"> => {
  /** Takes those out of these states that no offer binds. */
  const step = Effect.fnUntraced(function* (
    depositId: string,
    from: ReadonlyArray<DepositState>,
    to: DepositState,
    reason: string | null
  ) {
    const atMillis = yield* Clock.currentTimeMillis
    const at = new Date(atMillis)
    const released = to === "DROPPED" ? sql`, ${Suspense.released(sql, atMillis)}` : sql.literal("")
    return yield* done(
      sql`
      with before as (
        select deposit_id, state from deposit
        where deposit_id = ${storable(depositId)} and state in ${sql.in(from)} and offered_at is null for update
      ),
      moved as (
        update deposit set state = ${to}, step = step + 1, updated_at = ${at}, reason = ${reason}::text
        from before where deposit.deposit_id = before.deposit_id
        returning deposit.deposit_id, deposit.step, deposit.network, before.state
      )${released}
      insert into deposit_step (deposit_id, step, from_state, to_state, actor, at)
      select deposit_id, step, state, ${to}::text, 'rail/' || network, ${at}::timestamptz from moved
      returning 1`.unprepared
    )
  })
  return {
    confirm: Effect.fn("Deposits.confirm")(
      (depositId: string, reason: string | null) => step(depositId, ["DETECTED"], "CONFIRMED", reason),
      orUnavailable
    ),
    unconfirm: Effect.fn("Deposits.unconfirm")(
      (depositId: string) => step(depositId, ["CONFIRMED"], "DETECTED", null),
      orUnavailable
    ),
    drop: Effect.fn("Deposits.drop")(
      (depositId: string, reason: string) => step(depositId, ["DETECTED", "CONFIRMED"], "DROPPED", reason),
      orUnavailable
    ),
    offer: Effect.fn("Deposits.offer")(function* (depositId: string) {
      const at = new Date(yield* Clock.currentTimeMillis)
      return yield* done(sql`
        update deposit set offered_at = coalesce(offered_at, ${at})
        where deposit_id = ${storable(depositId)} and state = 'CONFIRMED' and user_id is not null and reason is null
        returning 1`)
    }, orUnavailable),
    assign: Effect.fn("Deposits.assign")(function* (depositId: string, userId: UserId, reason: string | null) {
      const released = Suspense.released(sql, yield* Clock.currentTimeMillis)
      return yield* done(sql`
        with moved as (
          update deposit set user_id = ${storable(userId)}, reason = ${reason}::text
          where deposit_id = ${storable(depositId)} and ${nobodys(sql)} returning deposit_id
        ), ${released}
        select 1 from moved`)
    }, orUnavailable),
    own: Effect.fn("Deposits.own")(function* (deposit: Deposit, why: string) {
      const atMillis = yield* Clock.currentTimeMillis
      const { batch } = OwnMoney.ofDeposit(deposit, why, atMillis)
      return yield* done(sql`
        with moved as (
          update deposit set reason = ${venuesOwn}::text
          where deposit_id = ${storable(deposit.depositId)} and ${nobodys(sql)} and is_final returning deposit_id
        ), ${Suspense.released(sql, atMillis)},
        told as (
          ${batch.insert(0, batch.rows)} where exists (select 1 from moved)
        )
        select 1 from moved`)
    }, orUnavailable)
  }
}

/** What was found out about it: its state stays. */
export const findings = (sql: SqlClient.SqlClient): Pick<DepositsShape, "missing" | "returned" | "finish"> => ({
  missing: Effect.fn("Deposits.missing")(function* (depositId: string, isMissing: boolean) {
    const at = isMissing ? new Date(yield* Clock.currentTimeMillis) : null
    return yield* done(sql`
      update deposit set gone_since = case when ${isMissing}::boolean then coalesce(gone_since, ${at}) end
      where deposit_id = ${storable(depositId)} and state = 'CREDITED' returning 1`)
  }, orUnavailable),
  returned: Effect.fn("Deposits.returned")(function* (depositId: string) {
    const at = new Date(yield* Clock.currentTimeMillis)
    return yield* done(sql`
      update deposit set is_returned = true, returned_at = ${at}
      where deposit_id = ${storable(depositId)} and not is_returned returning 1`)
  }, orUnavailable),
  finish: Effect.fn("Deposits.finish")(
    (depositId: string) =>
      done(sql`
        update deposit set is_final = true where deposit_id = ${storable(depositId)} and not is_final returning 1`),
    orUnavailable
  )
})

const done = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError>) => Effect.map(rows, ({ length }) => length > 0)
