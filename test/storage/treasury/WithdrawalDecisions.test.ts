import { UserId } from "@venue/domain/UserId"
import { WithdrawalDecisions } from "@venue/storage/treasury/WithdrawalDecisions"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"
import * as World from "./TreasuryWorld.ts"

type Services = Layer.Success<typeof World.inMemory> | WithdrawalDecisions

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect("keeps each operator's newest decision on a withdrawal", () =>
      Effect.gen(function* () {
        const { about, record } = yield* WithdrawalDecisions
        yield* World.recorded(UserId.make("bea"), World.accepted("bea-1", { reasons: ["amount"] }))
        const shared = { withdrawalId: "bea-1", reason: "why" }
        yield* TestClock.setTime(2_000)
        yield* record({ ...shared, decision: "approve", operator: "tom" })
        yield* TestClock.setTime(3_000)
        yield* record({ ...shared, decision: "reject", operator: "ann" })
        yield* record({ ...shared, decision: "approve", operator: "tom", reason: "still" })
        yield* TestClock.setTime(4_000)
        yield* record({ ...shared, decision: "approve", operator: "ann" })
        assert.deepStrictEqual(
          (yield* about("bea-1")).map(({ decidedAtMillis, decision, operator, reason }) =>
            [operator, decision, reason, decidedAtMillis].join(" ")
          ),
          ["tom approve still 3000", "ann approve why 4000"]
        )
        assert.deepStrictEqual(yield* about("bea-2"), [])
      })
    )
  })

suite("withdrawal decisions in memory", Layer.merge(World.inMemory, WithdrawalDecisions.layerMemory))
suite(
  "withdrawal decisions on Postgres",
  Layer.merge(World.onPostgres, WithdrawalDecisions.layer.pipe(Layer.provide(postgresLayer)))
)
