/** Tests that the database rejects every state change outside the domain's transitions, even in direct SQL. */
import { DepositState, depositIdOf } from "@venue/domain/Deposit"
import * as DepositSteps from "@venue/domain/DepositSteps"
import { UserId } from "@venue/domain/UserId"
import { WithdrawalState } from "@venue/domain/Withdrawal"
import * as WithdrawalSteps from "@venue/domain/WithdrawalSteps"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import * as World from "./TreasuryWorld.ts"

const isRefused = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.map(Effect.exit(work), Exit.isFailure)

layer(World.onPostgres, { timeout: "120 seconds" })("transitions on Postgres", (it) => {
  it.effect("I15, I16: the database allows exactly the state transitions that the domain defines", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly edge: string }>`
        select of_table || ' ' || from_state || ' ' || to_state as edge from treasury_edge`
      assert.sameMembers(
        rows.map(({ edge }) => edge),
        [
          ...WithdrawalSteps.transitions.map(({ from, to }) => `withdrawal ${from} ${to}`),
          ...DepositSteps.transitions.map(({ from, to }) => `deposit ${from} ${to}`)
        ]
      )
    })
  )

  it.effect(
    "I15: the database rejects undefined transitions of a withdrawal, and a state change without a recorded step",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* World.recorded(UserId.make("edge"), World.accepted("w"))
        for (const from of WithdrawalState.literals) {
          for (const to of WithdrawalState.literals) {
            if (from === to) continue
            const isEdge = WithdrawalSteps.transitions.some((edge) => edge.from === from && edge.to === to)
            const name = `${from} ${to}`
            // Moves the row to `from` with the triggers disabled, and then to `to` with the triggers enabled.
            const work = sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`alter table withdrawal disable trigger withdrawal_goes_on`
                yield* sql`alter table withdrawal drop constraint withdrawal_withdrawal_id_state_fkey`
                yield* sql`update withdrawal set state = ${from} where withdrawal_id = 'w'`
                yield* sql`alter table withdrawal enable trigger withdrawal_goes_on`
                yield* sql`update withdrawal set state = ${to} where withdrawal_id = 'w'`
                return yield* Effect.fail("taken back" as const)
              })
            )
            const failure = yield* Effect.flip(work)
            assert.strictEqual(failure === "taken back", isEdge, name)
            const step = sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`alter table withdrawal_step drop constraint withdrawal_step_withdrawal_id_from_state_fkey`
                yield* sql`alter table withdrawal_step drop constraint withdrawal_step_withdrawal_id_from_state_key`
                yield* sql`
                insert into withdrawal_step (withdrawal_id, to_state, from_state, step, actor, at)
                values ('w', ${to}, ${from}, 9, 'nobody', now())`
                return yield* Effect.fail("taken back" as const)
              })
            )
            const isTaken = to === "ACCEPTED" || to === "QUEUED"
            assert.strictEqual((yield* Effect.flip(step)) === "taken back", isEdge && !isTaken, `step ${name}`)
          }
        }
        // A valid step needs a row in the step table, starting from a state that was entered and not yet left.
        assert.isTrue(yield* isRefused(sql`update withdrawal set state = 'SUBMITTED' where withdrawal_id = 'w'`))
        const insert = (from: string, to: string, number: number) => sql`
        insert into withdrawal_step (withdrawal_id, to_state, from_state, step, actor, at)
        values ('w', ${to}, ${from}, ${number}, 'nobody', now())`
        assert.isTrue(yield* isRefused(insert("SUBMITTED", "SETTLED", 3)), "SUBMITTED was not reached")
        assert.isTrue(yield* isRefused(insert("ACCEPTED", "HELD_FOR_REVIEW", 3)), "ACCEPTED was left")
        assert.isTrue(yield* isRefused(insert("ACCEPTED", "QUEUED", 3)), "QUEUED was reached")
        assert.isTrue(
          yield* isRefused(sql`
          insert into withdrawal_step (withdrawal_id, to_state, step, actor, at) values ('w', 'SETTLED', 3, 'nobody', now())`),
          "ACCEPTED is the only first state"
        )
      })
  )

  it.effect(
    "I16: the database rejects undefined transitions of a deposit, and a second credit of the same deposit",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const id = depositIdOf("TRON", "edge", 0)
        yield* sql`
        with d as (
          insert into deposit (network, tx_hash, log_index, deposit_id, method, address, amount, state, step, detected_at,
            updated_at, checked_at, is_returned, is_final)
          values ('TRON', 'edge', 0, ${id}, 'TRON', 'T', 5, 'DETECTED', 1, now(), now(), now(), false, false)
          returning deposit_id
        )
        insert into deposit_step (deposit_id, step, to_state, actor, at) select deposit_id, 1, 'DETECTED', 'x', now() from d`
        for (const from of DepositState.literals) {
          for (const to of DepositState.literals) {
            if (from === to) continue
            const isEdge = DepositSteps.transitions.some((edge) => edge.from === from && edge.to === to)
            const work = sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`alter table deposit disable trigger deposit_goes_on`
                yield* sql`alter table deposit drop constraint deposit_deposit_id_step_state_fkey`
                yield* sql`update deposit set state = ${from} where deposit_id = ${id}`
                yield* sql`alter table deposit enable trigger deposit_goes_on`
                yield* sql`update deposit set state = ${to} where deposit_id = ${id}`
                return yield* Effect.fail("taken back" as const)
              })
            )
            assert.strictEqual((yield* Effect.flip(work)) === "taken back", isEdge, `${from} ${to}`)
            const step = sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`
                insert into deposit_step (deposit_id, step, from_state, to_state, actor, at)
                values (${id}, 2, ${from}, ${to}, 'x', now())`
                return yield* Effect.fail("taken back" as const)
              })
            )
            assert.strictEqual((yield* Effect.flip(step)) === "taken back", isEdge, `step ${from} ${to}`)
          }
        }
        assert.isTrue(
          yield* isRefused(sql`update deposit set state = 'CONFIRMED' where deposit_id = ${id}`),
          "without a step"
        )
        const credited = (number: number) => sql`
        insert into deposit_step (deposit_id, step, from_state, to_state, actor, at)
        values (${id}, ${number}, 'CONFIRMED', 'CREDITED', 'x', now())`
        assert.isFalse(yield* isRefused(credited(7)))
        assert.isTrue(yield* isRefused(credited(8)), "credited twice")
      })
  )

  it.effect("I9, I14: the database rejects updates and deletions of ledger entries, recorded steps and payments", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const table of ["ledger_entry", "withdrawal_step", "deposit_step", "withdrawal_payment"]) {
        const [first] = table === "ledger_entry" ? ["reason"] : [table === "withdrawal_payment" ? "reference" : "actor"]
        assert.isTrue(yield* isRefused(sql.unsafe(`update ${table} set ${first} = 'x'`)), table)
        assert.isTrue(yield* isRefused(sql.unsafe(`delete from ${table}`)), table)
        assert.isTrue(yield* isRefused(sql.unsafe(`truncate ${table} cascade`)), table)
      }
    })
  )
})
