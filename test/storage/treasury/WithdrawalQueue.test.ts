/** Tests of the withdrawal queue's order, and of the total amount of in-flight withdrawals. */
import { UserId } from "@venue/domain/UserId"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import * as World from "./TreasuryWorld.ts"
import * as Changes from "./Changes.ts"

type Services = Layer.Success<typeof World.inMemory>

const userId = UserId.make("ann")
const atOnce = 5

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect(
      "the queue returns withdrawals that were never refused before the others, and rotates through the refused ones",
      () =>
        Effect.gen(function* () {
          const { queued, refuse, refused } = yield* Changes.withdrawals
          const ids = Array.from({ length: 3 * atOnce - 1 }, (_, at) => `refused ${String(at).padStart(2, "0")}`)
          yield* World.recorded(
            userId,
            ...ids.map((id, at) => World.accepted(id, { method: "TRON", atMillis: at + 1 }))
          )
          const next = Effect.map(queued("TRON", atOnce), (all) => all.map(({ withdrawalId }) => withdrawalId))
          const turn = Effect.gen(function* () {
            yield* TestClock.adjust("1 second")
            const tried = yield* next
            for (const id of tried) yield* refuse(id, { _tag: "UnpayableDestination" })
            return tried
          })
          assert.deepStrictEqual(
            [...(yield* turn), ...(yield* turn), ...(yield* turn)].toSorted(),
            [
              ...ids,
              // The third page has one free row, and fills it with the first withdrawal again.
              ids[0]!
            ].toSorted()
          )
          yield* World.recorded(userId, World.accepted("new", { method: "TRON", atMillis: 1_000_000 }))
          assert.strictEqual((yield* next)[0], "new")
          const again = [yield* turn, yield* turn, yield* turn].flat()
          assert.sameMembers([...new Set(again)], [...ids, "new"])
          assert.strictEqual((yield* refused(1))[0]!.withdrawalId, ids[0], "keeps the time of the first refusal")
        })
    )

    it.effect(
      "sums the net amounts of in-flight withdrawals that can still be paid, from a given sequence number on",
      () =>
        Effect.gen(function* () {
          const { attempt, cancel, end, promised, settle, submit } = yield* Changes.withdrawals
          const ids = ["due-1", "due-2", "due-3", "due-4", "due-5"]
          yield* World.recorded(userId, ...ids.map((id) => World.accepted(id, { method: "ach_push" })))
          assert.strictEqual(yield* promised("BANK", 0), 0n, "nothing has a number")
          for (const [at, id] of ids.entries()) yield* submit(yield* World.withdrawal(id), 5_000 + at)
          assert.strictEqual(yield* promised("BANK", 0), 5n * 99_000_000n)
          assert.strictEqual(yield* promised("BANK", 5_002), 3n * 99_000_000n)
          assert.strictEqual(yield* promised("TRON", 5_000), 0n)
          yield* attempt("due-1", World.payment(1))
          for (const id of ["due-1", "due-2"]) yield* cancel(id, { by: "olga", reason: "it is stuck" })
          assert.strictEqual(yield* promised("BANK", 0), 4n * 99_000_000n, "nothing was signed that pays the second")
          yield* settle(yield* World.withdrawal("due-3"), "0xpaid")
          yield* end("due-4", { ending: "FAILED", by: "rail/BANK", reason: { _tag: "TransferRejected" } })
          assert.strictEqual(yield* promised("BANK", 0), 2n * 99_000_000n)
        })
    )
  })

suite("the queue in memory", World.inMemory)
suite("the queue on Postgres", World.onPostgres)
