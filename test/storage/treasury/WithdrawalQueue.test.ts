/** In which order withdrawals that wait are tried. */
import { UserId } from "@venue/domain/UserId"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import * as World from "./TreasuryWorld.ts"

type Services = Layer.Success<typeof World.inMemory>

const userId = UserId.make("ann")
const atOnce = 5

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect("however many are refused, one that never was comes before them, and each of them has its turn", () =>
      Effect.gen(function* () {
        const { queued, refuse, refused } = yield* Withdrawals
        const ids = Array.from({ length: 3 * atOnce - 1 }, (_, at) => `refused ${String(at).padStart(2, "0")}`)
        yield* World.recorded(userId, ...ids.map((id, at) => World.accepted(id, { method: "TRON", atMillis: at + 1 })))
        const next = Effect.map(queued("TRON", atOnce), (all) => all.map(({ withdrawalId }) => withdrawalId))
        const turn = Effect.gen(function* () {
          yield* TestClock.adjust("1 second")
          const tried = yield* next
          for (const id of tried) yield* refuse(id, "its destination is the token")
          return tried
        })
        assert.deepStrictEqual(
          [...(yield* turn), ...(yield* turn), ...(yield* turn)].toSorted(),
          [
            ...ids,
            // The last turn has one place left, which is the first one's again.
            ids[0]!
          ].toSorted()
        )
        yield* World.recorded(userId, World.accepted("new", { method: "TRON", atMillis: 1_000_000 }))
        assert.strictEqual((yield* next)[0], "new")
        const again = [yield* turn, yield* turn, yield* turn].flat()
        assert.sameMembers([...new Set(again)], [...ids, "new"])
        assert.strictEqual((yield* refused(1))[0]!.withdrawalId, ids[0], "it is told since when it is refused first")
      })
    )
  })

suite("the queue in memory", World.inMemory)
suite("the queue on Postgres", World.onPostgres)
