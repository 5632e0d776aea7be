/** Queries for withdrawals on Postgres. */
import type { RailName } from "@venue/domain/Rail"
import type { UserId } from "@venue/domain/UserId"
import { Ending } from "@venue/domain/Withdrawal"
import { finalStates, payableStates, stateBeforeReturn } from "@venue/domain/WithdrawalSteps"
import { numeric, storable } from "@venue/postgres/Column"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Count from "@venue/postgres/Count"
import { type Page, pageOf } from "@venue/postgres/Page"
import type { Seal } from "@venue/postgres/Seal"
import * as Table from "@venue/postgres/Table"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { isBlocked } from "./Blocks.ts"
import { withdrawalSteps } from "./Steps.ts"
import {
  maxEnding,
  payments,
  sealName,
  submittedAtOnce,
  withdrawals,
  type WithdrawalsShape
} from "./WithdrawalTable.ts"

export const ofOne = (
  sql: SqlClient.SqlClient,
  seals: Seal["Service"]
): Pick<WithdrawalsShape, "find" | "ofUser" | "countOfUser" | "sentTo" | "steps" | "payments"> => ({
  find: Effect.fn("Withdrawals.find")(
    (withdrawalId: string) =>
      withdrawals.first(sql`select ${columns} from withdrawal where withdrawal_id = ${storable(withdrawalId)}`),
    orUnavailable
  ),
  ofUser: Effect.fn("Withdrawals.ofUser")((userId: UserId, page: Page) => {
    const { limit, offset } = pageOf(page)
    return withdrawals.all(sql`
      select ${columns} from withdrawal where user_id = ${storable(userId)}
      order by created_at desc, withdrawal_id desc limit ${limit} offset ${offset}`)
  }, orUnavailable),
  countOfUser: Effect.fn("Withdrawals.countOfUser")(
    (userId: UserId) => Count.ofRows(sql, sql`from withdrawal where user_id = ${storable(userId)}`),
    orUnavailable
  ),
  sentTo: Effect.fn("Withdrawals.sentTo")(function* (userId: UserId, destination: string) {
    const [row] = yield* sent.all(sql`
      select ${sent.columns} from withdrawal
      where user_id = ${storable(userId)} and destination = ${storable(destination)}`)
    return row!
  }, orUnavailable),
  steps: Effect.fn("Withdrawals.steps")(
    (withdrawalId: string) =>
      withdrawalSteps.all(sql`
        select ${withdrawalSteps.columns} from withdrawal_step
        where withdrawal_id = ${storable(withdrawalId)} order by step`),
    orUnavailable
  ),
  payments: Effect.fn("Withdrawals.payments")(function* (withdrawalId: string) {
    const rows = yield* payments.all(sql`
      select ${payments.columns} from withdrawal_payment
      where withdrawal_id = ${storable(withdrawalId)} order by attempt`)
    return rows.map(({ sealedBytes, withdrawalId: of, ...payment }) => ({
      ...payment,
      bytes: seals.open(sealedBytes, sealName(of, payment.attempt))
    }))
  }, orUnavailable)
})

/** Returns the queries about all withdrawals in a state or on a rail. */
export const waiting = (
  sql: SqlClient.SqlClient
): Pick<
  WithdrawalsShape,
  "inState" | "countInState" | "queued" | "submitted" | "ending" | "sequences" | "promised" | "hasUnsigned" | "refused"
> => ({
  inState: Effect.fn("Withdrawals.inState")((state, page) => {
    const { limit, offset } = pageOf(page)
    return withdrawals.all(sql`
      select ${columns} from withdrawal where state = ${state}
      order by updated_at, withdrawal_id limit ${limit} offset ${offset}`)
  }, orUnavailable),
  countInState: Effect.fn("Withdrawals.countInState")(
    (state) => Count.ofRows(sql, sql`from withdrawal where state = ${state}`),
    orUnavailable
  ),
  queued: Effect.fn("Withdrawals.queued")(
    (rail: RailName, limit: number) =>
      withdrawals.all(sql`
        select ${columns} from withdrawal
        where rail = ${rail} and state = 'QUEUED' and (cancelled_by is not null or ${sql.literal(notBlocked)})
        order by cancelled_by is null, refused_at is not null, queued_at, withdrawal_id limit ${limit}`),
    orUnavailable
  ),
  submitted: Effect.fn("Withdrawals.submitted")(
    (rail: RailName, after: number) =>
      withdrawals.all(sql`
        select ${columns} from withdrawal
        where rail = ${rail} and state = 'SUBMITTED' and ending is null and sequence > ${after}
        order by sequence limit ${submittedAtOnce}`),
    orUnavailable
  ),
  ending: Effect.fn("Withdrawals.ending")(
    (rail: RailName) =>
      withdrawals.all(sql`
        select ${columns} from withdrawal
        where rail = ${rail} and ${sql.literal(isEnding)}
        order by updated_at limit ${maxEnding}`),
    orUnavailable
  ),
  sequences: Effect.fn("Withdrawals.sequences")(function* (rail: RailName) {
    const [row] = yield* used.all(sql`select ${used.columns} from (select ${rail}::text as rail) of`)
    const { next, open } = row!
    return { next, open: open ?? next }
  }, orUnavailable),
  promised: Effect.fn("Withdrawals.promised")(function* (rail: RailName, fromSequence: number) {
    const [row] = yield* promised.all(sql`
      select ${promised.columns} from withdrawal
      where rail = ${rail} and state = 'SUBMITTED' and ending is null and sequence >= ${BigInt(fromSequence)}
        and (cancelled_by is null or exists (
          select 1 from withdrawal_payment p where p.withdrawal_id = withdrawal.withdrawal_id and p.purpose = 'pay'
        ))`)
    return row!.amount
  }, orUnavailable),
  hasUnsigned: Effect.fn("Withdrawals.hasUnsigned")(
    (rail: RailName) =>
      Effect.map(
        sql`
          select 1 from withdrawal
          where rail = ${rail} and state = 'SUBMITTED' and ending is null
            and attempts = 0
          limit 1`,
        ({ length }) => length > 0
      ),
    orUnavailable
  ),
  refused: Effect.fn("Withdrawals.refused")(
    (limit: number) =>
      withdrawals.all(sql`
        select ${columns} from withdrawal
        where refused_at is not null and state in (${sql.literal(quoted(payableStates))}) and ending is null
        order by refused_at, withdrawal_id limit ${limit}`),
    orUnavailable
  )
})

const { columns } = withdrawals
const notBlocked = `not ${isBlocked}`
const quoted = (states: ReadonlyArray<string>): string => states.map((state) => `'${state}'`).join(", ")
const isEnding = `state in (${quoted(Ending.literals.map(stateBeforeReturn))}) and ending is not null`
const sent = Table.selection({
  firstAtMillis: {
    schema: Schema.NullOr(Schema.Number),
    expression: "round(extract(epoch from min(created_at)) * 1000)::float8"
  },
  isUnsettled: {
    schema: Schema.Boolean,
    expression: `coalesce(bool_or(state not in (${quoted(finalStates)})), false)`
  }
})
const used = Table.selection({
  next: {
    schema: Schema.Number,
    expression: "(select coalesce(max(w.sequence) + 1, 0)::float8 from withdrawal w where w.rail = of.rail)"
  },
  open: {
    schema: Schema.NullOr(Schema.Number),
    expression: `(select min(w.sequence)::float8 from withdrawal w
      where w.rail = of.rail and w.state = 'SUBMITTED' and w.ending is null)`
  }
})
const promised = Table.selection({
  amount: { schema: numeric.schema, expression: "coalesce(sum(amount - fee), 0)::text" }
})
