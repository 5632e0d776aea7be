/** Tests that deposit and withdrawal stores follow the domain's state machines, also under concurrent commands. */
import { depositIdOf } from "@venue/domain/Deposit"
import * as DepositSteps from "@venue/domain/DepositSteps"
import type { EndReason, PaymentObstacle } from "@venue/domain/TreasuryReason"
import { UserId } from "@venue/domain/UserId"
import * as WithdrawalSteps from "@venue/domain/WithdrawalSteps"
import type { Journal } from "@venue/journal/Journal"
import { type Deposit, Deposits } from "@venue/storage/treasury/Deposits"
import { type Withdrawal, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import * as fc from "fast-check"
import * as World from "./TreasuryWorld.ts"

type Services = Layer.Success<typeof World.inMemory>

/** Constant, because the test clock does not advance. */
const atMillis = 0

const by = fc.constantFrom("olga", "rail/ARBITRUM_ONE")
const text = fc.constantFrom("a", "b")
const reference = fc.constantFrom("0x1", "0x2")
const purpose = fc.constantFrom("pay", "cancel")
const obstacle = fc.constantFrom<PaymentObstacle>(
  { _tag: "InvalidDestination" },
  { _tag: "GasBalanceTooLow", account: "0xhot", heldWei: "5", neededWei: "90071992547409930" }
)
const endReason = fc.constantFrom<EndReason>(
  { _tag: "Rejected", text: 'a "stranger"' },
  { _tag: "TransactionFailed", code: null }
)
const withdrawalCommand: fc.Arbitrary<WithdrawalSteps.WithdrawalCommand> = fc.oneof(
  fc.record({ _tag: fc.constant("Approve"), by }),
  fc.record({ _tag: fc.constant("Submit"), by, purpose, sequence: fc.integer({ min: 100, max: 100_000 }) }),
  fc.record({ _tag: fc.constant("StoreAttempt"), attempt: fc.integer({ min: 1, max: 3 }), purpose, reference }),
  fc.record({ _tag: fc.constant("RecordRefusal"), refusal: obstacle }),
  fc.record({ _tag: fc.constant("RequestCancel"), by, reason: text }),
  fc.record({
    _tag: fc.constant("RequestEnd"),
    by,
    ending: fc.constantFrom("REJECTED", "FAILED"),
    reason: endReason,
    reference: fc.option(reference)
  }),
  fc.record({ _tag: fc.constant("Settle"), by, reference }),
  fc.record({ _tag: fc.constant("Return"), ending: fc.constantFrom("REJECTED", "FAILED") })
)

const reason = fc.constantFrom("bank-return", "missing-on-chain")
const depositCommand: fc.Arbitrary<DepositSteps.DepositCommand> = fc.oneof(
  fc.record({
    _tag: fc.constant("Detect"),
    block: fc.constantFrom({ number: 7, hash: "block-7" }, { number: 8, hash: "block-8" })
  }),
  fc.record({ _tag: fc.constant("Confirm"), reason: fc.option(reason, { freq: 2 }) }),
  fc.record({ _tag: fc.constant("Drop"), reason }),
  fc.record({ _tag: fc.constant("Assign"), userId: fc.constant(UserId.make("amy")), reason: fc.constant(null) }),
  fc.record({ _tag: fc.constant("TakeAsOwn"), reason: fc.constant("a top-up") }),
  fc.record({
    _tag: fc.constantFrom("Unconfirm", "Offer", "MarkGone", "MarkPresent", "MarkReturned", "MarkFinal", "Credit")
  }),
  fc.record({ _tag: fc.constant("Reverse"), reason: fc.constant("missing-on-chain") })
)

/** Sends a command through the same service that the venue uses. */
const sendToWithdrawal = Effect.fnUntraced(function* (
  userId: UserId,
  withdrawalId: string,
  command: WithdrawalSteps.WithdrawalCommand
) {
  const { attempt, change } = yield* Withdrawals
  if (command._tag === "Return")
    return yield* World.recorded(userId, { ...World.returned(withdrawalId, command.ending), atMillis })
  yield* Effect.ignore(
    command._tag === "StoreAttempt"
      ? attempt(withdrawalId, { ...World.payment(command.attempt, command.reference), purpose: command.purpose })
      : change(withdrawalId, command)
  )
})

const sendToDeposit = Effect.fnUntraced(function* (txHash: string, command: DepositSteps.DepositCommand) {
  const { change, detect } = yield* Deposits
  const userId = UserId.make("random")
  if (command._tag === "Credit") return yield* World.recorded(userId, { ...World.deposited(txHash), atMillis })
  if (command._tag === "Reverse") return yield* World.recorded(userId, { ...World.reversed(txHash), atMillis })
  if (command._tag === "Detect") return yield* detect(World.seen(txHash, { userId: null, block: command.block }))
  yield* Effect.ignore(change(depositIdOf("TRON", txHash, 0), command))
})

/** Allows for a busy machine, because the tests send random commands to a real database. */
const slow = { timeout: 900_000 }

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "120 seconds" })(name, (it) => {
    it.effect(
      "I14, I15: for many random commands, stores a withdrawal exactly as its state machine decides",
      () =>
        Effect.gen(function* () {
          const userId = UserId.make("random")
          const runs = fc.sample(fc.array(withdrawalCommand, { minLength: 15, maxLength: 25 }), { seed: 7, numRuns: 6 })
          for (const [at, commands] of runs.entries()) {
            const id = `random-${at}`
            const reasons = at % 3 === 0 ? (["amount"] as const) : []
            yield* World.recorded(userId, World.accepted(id, { reasons }))
            let expected: Withdrawal = yield* World.withdrawal(id)
            for (const command of commands) {
              const decided = WithdrawalSteps.decide(expected, command, atMillis)
              expected = Result.getOrElse(decided, () => []).reduce(WithdrawalSteps.apply<Withdrawal>, expected)
              yield* sendToWithdrawal(userId, id, command)
              assert.deepStrictEqual(yield* World.withdrawal(id), expected, command._tag)
            }
          }
        }),
      slow
    )

    it.effect(
      "I16: for many random commands, stores a deposit exactly as its state machine decides",
      () =>
        Effect.gen(function* () {
          const runs = fc.sample(fc.array(depositCommand, { minLength: 15, maxLength: 25 }), { seed: 7, numRuns: 6 })
          for (const [at, commands] of runs.entries()) {
            const txHash = `random-${at}`
            yield* (yield* Deposits).detect(World.seen(txHash, { userId: null }))
            let expected: Deposit = yield* World.deposit(txHash)
            for (const command of commands) {
              const decided = DepositSteps.decide(expected, command, atMillis)
              expected = Result.getOrElse(decided, () => []).reduce(DepositSteps.apply<Deposit>, expected)
              yield* sendToDeposit(txHash, command)
              assert.deepStrictEqual(yield* World.deposit(txHash), expected, command._tag)
            }
          }
        }),
      slow
    )

    it.effect(
      "I14, I15: under concurrent commands, writes one change per accepted command, and the changes form a valid sequence",
      () =>
        Effect.gen(function* () {
          const { attempt, change, payments, steps } = yield* Withdrawals
          const id = "race"
          yield* World.recorded(UserId.make("race"), World.accepted(id, { reasons: ["amount"] }))
          const rail = "rail/ARBITRUM_ONE"
          const commands = Array.from({ length: 6 }, (_, at) => [
            change(id, { _tag: "Approve", by: `operator-${at}` }),
            change(id, { _tag: "Submit", by: rail, purpose: "pay", sequence: 200_000 + at }),
            attempt(id, World.payment(1, `0x${at}`)),
            attempt(id, World.payment(2, `0x${at}`)),
            change(id, { _tag: "RequestCancel", by: `operator-${at}`, reason: "stuck" }),
            change(id, { _tag: "Settle", by: rail, reference: `0x${at}` }),
            change(id, {
              _tag: "RequestEnd",
              by: rail,
              ending: "FAILED",
              reason: { _tag: "TransferRejected" },
              reference: null
            })
          ])
          let changes = 0
          for (let round = 0; round < 3; round += 1) {
            const results = yield* Effect.forEach(commands.flat(), Effect.result, { concurrency: 8 })
            changes += results.flatMap((result) => Result.getOrElse(result, () => [])).length
          }
          const { state, step, version } = yield* World.withdrawal(id)
          assert.strictEqual(version, 1 + changes, "the debit is the first version")
          const path = yield* steps(id)
          assert.strictEqual(path.at(-1)!.toState, state)
          assert.strictEqual(path.length, step)
          for (const { fromState, toState } of path.slice(1))
            assert.isTrue(WithdrawalSteps.transitions.some(({ from, to }) => from === fromState && to === toState))
          const attempts = (yield* payments(id)).map(({ attempt }) => attempt)
          assert.deepStrictEqual(attempts, [...new Set(attempts)])
        }),
      slow
    )

    it.effect(
      "I16: a deposit's changes form a valid sequence, even under concurrent detections, confirmations and credits",
      () =>
        Effect.gen(function* () {
          const { change, detect, steps } = yield* Deposits
          const id = depositIdOf("TRON", "race", 0)
          const userId = UserId.make("race")
          yield* detect(World.seen("race", { userId }))
          const commands = Array.from({ length: 6 }, (_, at) => [
            detect(World.seen("race", { userId, block: { number: at, hash: `block-${at % 2}` } })),
            change(id, { _tag: "Confirm", reason: null }),
            change(id, { _tag: at % 2 === 0 ? "Unconfirm" : "Offer" }),
            change(id, { _tag: "Drop", reason: "missing-on-chain" }),
            ...(at === 4 ? [World.recorded(userId, World.deposited("race"))] : [])
          ]).flat()
          for (let round = 0; round < 2; round += 1)
            yield* Effect.forEach(commands, (command) => Effect.exit<unknown, unknown, Journal>(command), {
              concurrency: 8
            })
          const row = yield* World.deposit("race")
          const path = yield* steps(id)
          assert.strictEqual(path.length, row.step)
          assert.strictEqual(path.at(-1)!.toState, row.state)
          for (const { fromState, toState } of path.slice(1))
            assert.isTrue(DepositSteps.transitions.some(({ from, to }) => from === fromState && to === toState))
          assert.isAtMost(path.filter(({ toState }) => toState === "CREDITED").length, 1)
        }),
      slow
    )
  })

suite("changes in memory", World.inMemory)
suite("changes on Postgres", World.onPostgres)
