/** Test of more in-flight withdrawals than one poll handles. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Holdings from "@venue/cluster/entities/rail/Holdings"
import * as Paying from "@venue/cluster/entities/rail/Paying"
import { UserId } from "@venue/domain/UserId"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { RailHoldings } from "@venue/storage/treasury/RailHoldings"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { submittedAtOnce } from "@venue/storage/treasury/Withdrawals"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as World from "../../../storage/treasury/TreasuryWorld.ts"
import * as ScriptedRail from "../../../venue/ScriptedRail.ts"
import * as Changes from "../../../storage/treasury/Changes.ts"

const nobody = Layer.succeed(DeskClient)({} as DeskClient["Service"])
const services = Layer.mergeAll(nobody, BankAccounts.layerMemory, RailHoldings.layerMemory).pipe(
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provideMerge(World.inMemory)
)

layer(services, { timeout: "60 seconds" })("many open withdrawals", (it) => {
  it.effect("polls the outcome of every in-flight withdrawal, and records which of them have left the holdings", () =>
    Effect.gen(function* () {
      const { attempt, find, submit } = yield* Changes.withdrawals
      const { newest } = yield* RailHoldings
      const ids = Array.from({ length: submittedAtOnce + 1 }, (_, at) => `w${at}`)
      yield* World.recorded(UserId.make("amy"), ...ids.map((id) => World.accepted(id, { method: "TRON" })))
      for (const [at, id] of ids.entries()) {
        yield* submit(yield* World.withdrawal(id), at)
        yield* attempt(id, World.payment(1, `${id} ${at} 0`))
      }
      yield* (yield* RailStates).scanned("TRON", null, "1")
      const rail = ScriptedRail.make()
      const provider: RailProvider = {
        ...rail.provider,
        holdings: ({ sent }) =>
          Effect.succeedSome({ amount: 7n, position: "here", block: 1, hasLeft: sent.map(() => true) })
      }

      yield* yield* Holdings.make(provider)
      assert.deepStrictEqual(
        (yield* newest).map(({ leftIds }) => leftIds),
        [ids]
      )

      const { outcomes } = yield* Paying.make(provider)
      const youngest = ids.at(-1)!
      rail.end(youngest, "Settled")
      yield* outcomes
      yield* outcomes
      assert.strictEqual(Option.getOrThrow(yield* find(youngest)).state, "SETTLED")
      rail.end("w0", "Settled")
      yield* outcomes
      assert.strictEqual(Option.getOrThrow(yield* find("w0")).state, "SETTLED")
    })
  )
})
