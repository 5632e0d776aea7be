/**
 * Tests of rows that a newer release's nodes stored, and of a change that loses a race against another node's change.
 */
import { UserId } from "@venue/domain/UserId"
import { Seal } from "@venue/postgres/Seal"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { isAccepted, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import * as WithdrawalSteps from "@venue/storage/treasury/WithdrawalSteps"
import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Changes from "./Changes.ts"
import * as World from "./TreasuryWorld.ts"

const userId = UserId.make("ann")
const page = { limit: 10, offset: 0 }
const by = "rail/ARBITRUM_ONE"
const foreign = { _tag: "Unknown", tag: "Foreign" } as const

layer(World.onPostgres, { timeout: "120 seconds" })("rows and changes of other nodes", (it) => {
  it.effect("reads and ends a withdrawal whose reasons only a newer release can describe", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { end, ending, ofUser, refuse, submit } = yield* Changes.withdrawals
      yield* World.recorded(userId, World.accepted("foreign"))
      yield* submit(yield* World.withdrawal("foreign"), 1)
      yield* refuse("foreign", { _tag: "UnpayableDestination" })
      yield* end("foreign", { ending: "FAILED", by, reason: { _tag: "TransferRejected" } })
      yield* sql`
        update withdrawal set reason = '{"_tag": "Foreign", "code": 7}', refusal = '{"_tag": "Foreign"}'
        where withdrawal_id = 'foreign'`
      assert.deepInclude(yield* World.withdrawal("foreign"), { reason: foreign, refusal: foreign })
      assert.strictEqual((yield* ofUser(userId, page)).length, 1)
      assert.strictEqual((yield* ending("ARBITRUM_ONE")).length, 1)
      yield* World.recorded(userId, World.returned("foreign", "FAILED"))
      assert.deepInclude(yield* World.withdrawal("foreign"), { state: "FAILED", reason: foreign })
      const [row] = yield* sql<{ readonly code: string }>`
        select reason ->> 'code' as code from withdrawal where withdrawal_id = 'foreign'`
      assert.strictEqual(row!.code, "7", "keeps the fields")
    })
  )

  it.effect("reads a deposit and a payment rail whose reasons only a newer release can describe", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { detect, due } = yield* Deposits
      const { find, unavailable } = yield* RailStates
      yield* detect(World.seen("foreign"))
      yield* unavailable("TRON", { _tag: "Unreachable", text: "timeout" })
      yield* sql`update deposit set reason = 'foreign' where tx_hash = 'foreign'`
      yield* sql`update rail_state set cause = '{"_tag": "Foreign"}' where rail = 'TRON'`
      assert.strictEqual(String((yield* World.deposit("foreign")).reason), "foreign")
      assert.strictEqual((yield* due("TRON", 10)).length, 1)
      assert.deepInclude(yield* find("TRON"), { cause: foreign })
    })
  )

  it.effect("the database refuses to end a withdrawal without a reason", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* World.recorded(userId, World.accepted("no reason"))
      const update = sql`
        update withdrawal set ending = 'FAILED', ended_by = 'x' where withdrawal_id = 'no reason'`
      yield* Effect.flip(update)
    })
  )

  it.effect("I14: refuses to cancel a queued withdrawal if the withdrawal was unblocked after it was read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* World.recorded(userId, World.accepted("lifted"))
      const { find } = yield* Withdrawals
      const { change } = WithdrawalSteps.changes({
        read: (id) =>
          Effect.map(
            find(id),
            Option.map((row) => ({ ...row, isBlocked: true }))
          ),
        write: WithdrawalSteps.write(sql, yield* Seal, false)
      })
      const cancel = isAccepted(change("lifted", { _tag: "RequestCancel", by: "olga", reason: "frozen" }))
      assert.isFalse(yield* cancel)
      assert.deepInclude(yield* World.withdrawal("lifted"), { state: "QUEUED", cancelledBy: null })
      yield* (yield* TreasuryFlags).set({ kind: "user", subject: userId, effect: "frozen", reason: "", setBy: "olga" })
      assert.isTrue(yield* cancel)
    }).pipe(Effect.provide(Seal.layer(Redacted.make("a key of the treasury's tests, 32 and more"))))
  )
})
