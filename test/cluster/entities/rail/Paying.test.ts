/**
 * Tests of two concurrent owners of one rail on Postgres, one of which crashes before or after a step: each
 * withdrawal is paid once.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Paying from "@venue/cluster/entities/rail/Paying"
import type { RailName } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import type { WithdrawalCommand } from "@venue/domain/WithdrawalSteps"
import { type RailProvider, SigningRefused } from "@venue/providers/rails/RailProvider"
import * as SimulatedRail from "@venue/simulation/rails/SimulatedRail"
import * as Simulation from "@venue/simulation/rails/Simulation"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { details } from "../../../gateway/treasury/Bank.ts"
import * as World from "../../../storage/treasury/TreasuryWorld.ts"
import * as Changes from "../../../storage/treasury/Changes.ts"

const userId = UserId.make("ann")

/** A desk that supports only the return of withdrawals. */
const desk = Layer.effect(
  DeskClient,
  Effect.map(Effect.context<Layer.Success<typeof World.onPostgres>>(), (context) => {
    const ReturnWithdrawal = ({ ending, withdrawalId }: { ending: "REJECTED" | "FAILED"; withdrawalId: string }) =>
      Effect.provideContext(World.recorded(userId, World.returned(withdrawalId, ending)), context)
    const ask = (_: UserId, call: (desk: never) => Effect.Effect<unknown>) => call({ ReturnWithdrawal } as never)
    return { ask } as unknown as DeskClient["Service"]
  })
)

const services = Layer.mergeAll(desk, BankAccounts.layerMemory).pipe(Layer.provideMerge(World.onPostgres))

const stored = ["submit", "attempt", "settle", "end"] as const
const requests = ["check", "sign", "send", "outcome"] as const
type Step = (typeof stored)[number] | (typeof requests)[number]
const deaths = [...stored, ...requests].flatMap((step) => [`before ${step}`, `after ${step}`] as const)

/** Runs a step, and interrupts the owner before or after it if the owner should crash at this step. */
const dyingAt = <A, E, R>(
  step: Step | undefined,
  death: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  death === `before ${step}`
    ? Effect.interrupt
    : death === `after ${step}`
      ? Effect.andThen(work, Effect.interrupt)
      : work

/** Wraps a provider so that its caller crashes at the given step. */
const dyingProvider = (provider: RailProvider, death: string): RailProvider => ({
  ...provider,
  ...Object.fromEntries(
    requests.map((step) => {
      const work = provider[step] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
      return [step, (...args: ReadonlyArray<unknown>) => dyingAt(step, death, work(...args))]
    })
  )
})

/** Wraps the stored withdrawals so that their caller crashes at the given step. */
const dyingStorage = (storage: Withdrawals["Service"], death: string): Withdrawals["Service"] => ({
  ...storage,
  change: (id, command) => dyingAt(stepOf[command._tag], death, storage.change(id, command)),
  attempt: (id, payment) => dyingAt("attempt", death, storage.attempt(id, payment))
})

const stepOf: { readonly [Tag in WithdrawalCommand["_tag"]]?: Step } = {
  Submit: "submit",
  Settle: "settle",
  RequestEnd: "end"
}

/** Returns a rail owner that crashes at the given step, or never crashes if the name of the step is empty. */
const owner = Effect.fnUntraced(function* (provider: RailProvider, death: string) {
  const withdrawals = dyingStorage(yield* Withdrawals, death)
  const { outcomes, queue, returns } = yield* Paying.make(dyingProvider(provider, death)).pipe(
    Effect.provideService(Withdrawals, withdrawals)
  )
  return Effect.exit(Effect.andThen(Effect.andThen(returns, outcomes), queue))
})

/** Advances one second and reads the venue mode, because a node with an outdated mode sends no payments. */
const second = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.flatMap(VenueModes, ({ read }) => read)
)

const simulated = (rail: RailName) => {
  let state = SimulatedRail.empty(0)
  return Simulation.make(rail, (_, change) =>
    Effect.sync(() => {
      const [answer, next] = change(state)
      state = next
      return answer
    })
  )
}

layer(services, { timeout: "60 seconds" })("two rail owners on Postgres", (it) => {
  for (const [at, death] of deaths.entries())
    it.effect(`I14, I15: pays a withdrawal once if an owner crashes ${death}`, () =>
      Effect.gen(function* () {
        const { nextFate, payments: paid, provider } = simulated("TRON")
        const fails = at % 3 === 2 || death.endsWith("end")
        if (fails) yield* nextFate("fail")
        const id = `w ${death}`
        yield* World.recorded(userId, World.accepted(id, { method: "TRON" }))
        const owners = [yield* owner(provider, death), yield* owner(provider, "")]
        for (let round = 0; round < 8; round += 1) {
          yield* Effect.all(owners, { concurrency: "unbounded" })
          yield* second
        }
        const { payments, steps } = yield* Withdrawals
        assert.deepStrictEqual(
          (yield* steps(id)).map(({ toState }) => toState),
          ["ACCEPTED", "QUEUED", "SUBMITTED", fails ? "FAILED" : "SETTLED"]
        )
        assert.lengthOf(yield* payments(id), 1)
        assert.deepStrictEqual(
          (yield* paid).map(({ fate, withdrawalId }) => [withdrawalId, fate]),
          [[id, fails ? "fail" : "pay"]]
        )
      })
    )
})

const refusing = (provider: RailProvider): RailProvider => ({
  ...provider,
  check: ({ destination, purpose }) =>
    purpose === "pay" && Redacted.value(destination) === "the token"
      ? Effect.fail(new SigningRefused({ rail: provider.rail, obstacle: { _tag: "UnpayableDestination" } }))
      : Effect.void
})

layer(services, { timeout: "60 seconds" })("withdrawal queue on Postgres", (it) => {
  it.effect("pays withdrawals that are queued behind any number of refused withdrawals", () =>
    Effect.gen(function* () {
      const { payments: paid, provider } = simulated("ARBITRUM_ONE")
      const ids = Array.from({ length: 60 }, (_, at) => `refused ${at}`)
      yield* World.recorded(userId, ...ids.map((id) => World.accepted(id, { destination: "the token" })))
      yield* World.recorded(userId, World.accepted("behind", { atMillis: 2_000 }))
      const look = yield* owner(refusing(provider), "")
      for (let again = 0; again < 2; again++) {
        yield* second
        yield* look
      }
      assert.deepStrictEqual(
        (yield* paid).map(({ withdrawalId }) => withdrawalId),
        ["behind"]
      )
      assert.lengthOf(yield* (yield* Withdrawals).refused(100), 60)
    })
  )

  it.effect("I14: cancels a refused withdrawal without a payment, even while withdrawals are blocked", () =>
    Effect.gen(function* () {
      const { payments: paid, provider } = simulated("TRON")
      const { cancel, payments, steps } = yield* Changes.withdrawals
      yield* World.recorded(userId, World.accepted("w", { method: "TRON", destination: "the token" }))
      const look = yield* owner(refusing(provider), "")
      yield* look
      yield* (yield* TreasuryFlags).set({ ...frozen, reason: "", setBy: "olga" })
      const { audited, blockWithdrawals, resume } = yield* VenueModes
      yield* blockWithdrawals({ by: "olga", reason: "a drill" })
      yield* cancel("w", { by: "olga", reason: "nobody can be paid there" })
      for (let again = 0; again < 6; again++) {
        yield* look
        yield* second
      }
      assert.deepStrictEqual(
        (yield* steps("w")).map(({ toState }) => toState),
        ["ACCEPTED", "QUEUED", "SUBMITTED", "FAILED"]
      )
      assert.deepStrictEqual(
        (yield* payments("w")).map(({ purpose }) => purpose),
        ["cancel"]
      )
      assert.deepStrictEqual(
        (yield* paid).map(({ fate }) => fate),
        ["cancel"]
      )
      yield* audited({ fault: null, difference: null })
      yield* resume("WITHDRAWALS", { by: "olga", reason: "a drill" })
    })
  )

  it.effect("refuses to pay a bank account that was removed after the withdrawal was accepted", () =>
    Effect.gen(function* () {
      const { payments: paid, provider } = simulated("BANK")
      const { link, remove } = yield* BankAccounts
      yield* link({ accountId: "theirs", userId, holderKnown: true, details: Redacted.make(details) })
      yield* remove(userId, "theirs")
      yield* World.recorded(userId, World.accepted("late", { method: "wire", destination: "theirs" }))
      yield* yield* owner(provider, "")
      const { refusal, state } = yield* World.withdrawal("late")
      assert.deepStrictEqual([state, refusal], ["QUEUED", { _tag: "BankAccountUnlinked" }])
      assert.deepStrictEqual(yield* paid, [])
    })
  )
})

const frozen = { kind: "address", subject: "the token", effect: "frozen" } as const
