/** Stored simulated rails: after a restart, a development venue continues with the same chain and money. */
import * as StoredRails from "@venue/simulation/rails/StoredRails"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import { type Simulated, SimulatedRails } from "@venue/providers/rails/SimulatedRails"
import { SimulatedStates } from "@venue/storage/treasury/SimulatedStates"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

/** Runs with freshly built layers, so that a start knows earlier state only through the database. */
const started = <A, E>(work: (rail: Simulated) => Effect.Effect<A, E>) =>
  Effect.flatMap(SimulatedRails, (rails) => work(rails.get("TRON")!)).pipe(
    Effect.provide(Layer.fresh(StoredRails.layer.pipe(Layer.provide(Layer.fresh(SimulatedStates.layer)))))
  )

const order = {
  withdrawalId: "w",
  destination: Redacted.make("Tsomewhere"),
  amount: 30n,
  paymentRail: null,
  sequence: 0,
  purpose: "pay" as const,
  previous: []
}

const held = ({ holdings }: RailProvider, cursor: string) =>
  Effect.map(holdings({ addresses: ["Tours"], cursor, sent: [] }), (holdings) => Option.getOrThrow(holdings).amount)

layer(postgresLayer, { timeout: "60 seconds" })("a restart", (it) => {
  it.effect("keeps deposits, payments and a requested payment failure across a restart", () =>
    Effect.gen(function* () {
      const watched = Effect.succeed(["Tours"])
      const [before, paid] = yield* started(({ deposit, nextFate, provider }) =>
        Effect.gen(function* () {
          yield* deposit("Tours", 100n, null)
          const payment = yield* provider.sign(order)
          yield* provider.send(payment)
          yield* TestClock.adjust("5 seconds")
          const { arrivals, cursor } = yield* provider.scan(null, watched)
          yield* nextFate("fail")
          return [{ arrivals, cursor, holdings: yield* held(provider, cursor) }, payment] as const
        })
      )
      assert.strictEqual(before.holdings, 70n)
      yield* TestClock.adjust("20 seconds")
      yield* started(({ deposit, provider }) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* held(provider, before.cursor), before.holdings)
          assert.deepStrictEqual(yield* provider.scan(null, watched), {
            arrivals: before.arrivals,
            cursor: before.cursor,
            returned: []
          })
          const [state] = yield* provider.arrivalStates(before.arrivals)
          assert.deepStrictEqual(state, { _tag: "Present", confirmations: 25, isFinal: false })
          assert.strictEqual((yield* provider.outcome([paid]))._tag, "Settled")
          yield* provider.send(paid)
          const failing = yield* provider.sign({ ...order, withdrawalId: "v", sequence: 1 })
          yield* provider.send(failing)
          const txHash = yield* deposit("Tours", 7n, null)
          yield* TestClock.adjust("5 seconds")
          assert.strictEqual((yield* provider.outcome([failing]))._tag, "Failed")
          const { arrivals, cursor } = yield* provider.scan(before.cursor, watched)
          assert.deepStrictEqual(
            arrivals.map((arrival) => arrival.txHash),
            [txHash]
          )
          assert.strictEqual(yield* held(provider, cursor), 77n)
        })
      )
    })
  )
})
