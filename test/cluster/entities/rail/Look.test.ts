/**
 * Tests of a rail poll in which some requests fail. Other requests continue, and the alarm lasts until all requests
 * succeed.
 */
import type { RailOutage } from "@venue/domain/TreasuryReason"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Look from "@venue/cluster/entities/rail/Look"
import { UserId } from "@venue/domain/UserId"
import { type RailProvider, RailUnavailable } from "@venue/providers/rails/RailProvider"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as World from "../../../storage/treasury/TreasuryWorld.ts"
import * as ScriptedRail from "../../../venue/ScriptedRail.ts"

/** A desk that accepts every request. */
const desk = Layer.succeed(DeskClient)({
  ask: (_: UserId, call: (desk: never) => Effect.Effect<unknown>) => call({ Deposit: () => Effect.void } as never)
} as unknown as DeskClient["Service"])

const services = Layer.mergeAll(
  desk,
  BankAccounts.layerMemory,
  DepositAddresses.layerMemory,
  DepositMessages.layerMemory
).pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provideMerge(World.inMemory))

/** A provider that fails a whole request if any name in the request is faulty. */
const unanswered = (provider: RailProvider, odd: ReadonlySet<string>): RailProvider => {
  const unless = <A>(names: ReadonlyArray<string>, answer: Effect.Effect<A, RailUnavailable>) =>
    Effect.suspend(() =>
      names.some((name) => odd.has(name))
        ? Effect.fail(new RailUnavailable({ rail: "TRON", cause: "the response is larger than 7 bytes" }))
        : answer
    )
  return {
    ...provider,
    arrivalStates: (arrivals) =>
      unless(
        arrivals.map(({ txHash }) => txHash),
        provider.arrivalStates(arrivals)
      ),
    outcome: (payments) =>
      unless(
        payments.map(({ reference }) => reference.split(" ")[0]!),
        provider.outcome(payments)
      )
  }
}

layer(services)("rail poll", (it) => {
  it.effect(
    "if the rail cannot report one deposit, credits all other deposits and keeps an alarm for that deposit",
    () =>
      Effect.gen(function* () {
        const { detect, find } = yield* Deposits
        const rails = yield* RailStates
        const rail = ScriptedRail.make()
        const odd = new Set(["odd"])
        const poll = yield* Look.make(unanswered(rail.provider, odd))
        const found = Effect.fnUntraced(function* (txHash: string) {
          const { offeredAtMillis, state } = Option.getOrThrow(yield* find(`TRON/${txHash}/0`))
          return [state, offeredAtMillis !== null]
        })
        for (const txHash of ["odd", "even", "behind"]) {
          yield* detect(World.seen(txHash))
          rail.stand(txHash, 25)
        }
        assert.isFalse(yield* poll)
        assert.deepStrictEqual(yield* found("even"), ["CONFIRMED", true])
        assert.deepStrictEqual(yield* found("behind"), ["CONFIRMED", true])
        assert.deepStrictEqual(yield* found("odd"), ["DETECTED", false])
        assert.isFalse(yield* poll)
        const { cause, cursor, unavailableSinceMillis } = yield* rails.find("TRON")
        assert.deepStrictEqual(cause, {
          _tag: "Unreachable",
          text: "deposit TRON/odd/0: the response is larger than 7 bytes"
        })
        assert.isNotNull(unavailableSinceMillis)
        assert.strictEqual(cursor, "2", "what came in was read on")

        odd.clear()
        assert.isTrue(yield* poll)
        assert.deepStrictEqual(yield* found("odd"), ["CONFIRMED", true])
        assert.deepInclude(yield* rails.find("TRON"), { cause: null, unavailableSinceMillis: null })
      })
  )

  it.effect(
    "if the rail cannot report one withdrawal, settles all other withdrawals and keeps an alarm for that withdrawal",
    () =>
      Effect.gen(function* () {
        const { find } = yield* Withdrawals
        const rails = yield* RailStates
        const rail = ScriptedRail.make()
        const odd = new Set(["stuck"])
        const poll = yield* Look.make(unanswered(rail.provider, odd))
        const ids = ["stuck", ...Array.from({ length: 9 }, (_, at) => `w${at}`)]
        yield* World.recorded(UserId.make("amy"), ...ids.map((id) => World.accepted(id, { method: "TRON" })))
        yield* poll
        for (const id of ids) rail.end(id, "Settled")
        assert.isFalse(yield* poll)
        const states = Effect.forEach(ids, (id) => Effect.map(find(id), (row) => Option.getOrThrow(row).state))
        assert.deepStrictEqual(yield* states, ["SUBMITTED", ...ids.slice(1).map(() => "SETTLED")])
        assert.deepStrictEqual(
          (yield* rails.find("TRON")).cause,
          { _tag: "Unreachable", text: "withdrawal stuck: the response is larger than 7 bytes" },
          "the scan succeeds, and the alarm stays"
        )
        odd.clear()
        assert.isTrue(yield* poll)
        assert.strictEqual((yield* states)[0], "SETTLED")
        assert.isNull((yield* rails.find("TRON")).unavailableSinceMillis)
      })
  )

  it.effect("raises an alarm while the chain finalises no blocks, without slowing the polls", () =>
    Effect.gen(function* () {
      const rails = yield* RailStates
      const stall: RailOutage = { _tag: "FinalityStalled", finalBlock: 7, minutes: 60, fromHead: 70, toHead: 90 }
      let stalled: RailOutage | undefined = stall
      const provider = { ...ScriptedRail.make().provider, stalled: Effect.sync(() => stalled) }
      const poll = yield* Look.make(provider)
      assert.isTrue(yield* poll)
      assert.deepStrictEqual((yield* rails.find("TRON")).cause, stall)
      stalled = undefined
      assert.isTrue(yield* poll)
      assert.isNull((yield* rails.find("TRON")).cause)
    })
  )
})
