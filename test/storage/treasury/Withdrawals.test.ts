import { UserId } from "@venue/domain/UserId"
import { UserStates } from "@venue/storage/access/UserStates"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Users } from "@venue/storage/access/Users"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { submittedAtOnce, Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as World from "./TreasuryWorld.ts"
import * as Changes from "./Changes.ts"

type Services = Layer.Success<typeof World.inMemory>

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    const stepsOf = (withdrawalId: string) =>
      Effect.flatMap(Withdrawals, ({ steps }) =>
        Effect.map(steps(withdrawalId), (all) =>
          all.map(({ actor, fromState, step, toState }) => `${step} ${fromState ?? "-"} ${toState} ${actor}`)
        )
      )

    it.effect(
      "I13: stores a withdrawal and its first steps exactly once, in the commit of the event that debits its amount",
      () =>
        Effect.gen(function* () {
          const userId = UserId.make("ann")
          yield* World.recorded(
            userId,
            World.accepted("ann-1"),
            World.accepted("ann-2", { reasons: ["amount", "day-total"] })
          )
          yield* World.recorded(userId, World.accepted("ann-1", { amount: 7n }))
          assert.deepInclude(yield* World.withdrawal("ann-1"), {
            userId,
            rail: "ARBITRUM_ONE",
            amount: 100_000_000n,
            fee: 1_000_000n,
            state: "QUEUED",
            step: 2,
            createdAtMillis: 1_000,
            queuedAtMillis: 1_000,
            isBlocked: false
          })
          assert.deepInclude(yield* World.withdrawal("ann-2"), {
            state: "HELD_FOR_REVIEW",
            reasons: ["amount", "day-total"],
            queuedAtMillis: null
          })
          assert.deepStrictEqual(yield* stepsOf("ann-1"), ["1 - ACCEPTED ann", "2 ACCEPTED QUEUED ann"])
          const { countOfUser, ofUser } = yield* Withdrawals
          assert.strictEqual((yield* ofUser(userId, { limit: 10, offset: 0 })).length, 2)
          assert.strictEqual(yield* countOfUser(userId), 2)
          const [newest] = yield* ofUser(userId, { limit: 1, offset: 0 })
          assert.strictEqual(newest!.withdrawalId, "ann-2")
          const { sentTo } = yield* Withdrawals
          assert.deepStrictEqual(yield* sentTo(userId, newest!.destination), {
            firstAtMillis: 1_000,
            isUnsettled: true
          })
          const nothing = { firstAtMillis: null, isUnsettled: false }
          assert.deepStrictEqual(yield* sentTo(userId, "elsewhere"), nothing)
          assert.deepStrictEqual(yield* sentTo(UserId.make("another user"), newest!.destination), nothing)
        })
    )

    it.effect("I14: submits a withdrawal once under a unique number, and stores its payments unchanged", () =>
      Effect.gen(function* () {
        const userId = UserId.make("bob")
        const { attempt, hasUnsigned, payments, queued, sequences, submit, submitted } = yield* Changes.withdrawals
        yield* World.recorded(
          userId,
          World.accepted("bob-1", { method: "TRON" }),
          World.accepted("bob-2", { method: "TRON" })
        )
        assert.deepStrictEqual(yield* sequences("TRON"), { next: 0, open: 0 })
        const [first, second] = yield* queued("TRON", 10)
        assert.deepStrictEqual([first!.withdrawalId, second!.withdrawalId], ["bob-1", "bob-2"])
        assert.isFalse(yield* attempt("bob-1", World.payment(1)), "it has no number yet")
        const both = yield* Effect.all([submit(first!, 41), submit(first!, 41)], { concurrency: 2 })
        assert.sameMembers([...both], [true, false])
        assert.isFalse(yield* submit(second!, 41), "the number is taken")
        assert.deepStrictEqual(yield* sequences("TRON"), { next: 42, open: 41 })
        assert.isTrue(yield* submit(second!, 42))
        assert.isTrue(yield* attempt("bob-1", World.payment(1)))
        assert.isTrue(yield* hasUnsigned("TRON"))
        const stored = yield* Effect.all(
          [attempt("bob-2", World.payment(1)), attempt("bob-2", World.payment(1, "b"))],
          {
            concurrency: 2
          }
        )
        assert.sameMembers([...stored], [true, false], "an attempt is stored once")
        assert.isFalse(yield* hasUnsigned("TRON"))
        const winner = (yield* payments("bob-2"))[0]!.reference
        assert.strictEqual((yield* World.withdrawal("bob-2")).reference, winner)
        assert.isTrue(yield* attempt("bob-2", World.payment(2)))
        assert.strictEqual((yield* World.withdrawal("bob-2")).reference, "0x2")
        const kept = yield* payments("bob-2")
        assert.deepStrictEqual(
          kept.map(({ attempt, bytes, reference }) => [attempt, reference, Redacted.value(bytes)]),
          [
            [1, winner, `signed ${winner}`],
            [2, "0x2", "signed 0x2"]
          ]
        )
        assert.deepStrictEqual(
          (yield* submitted("TRON", -1)).map(({ sequence, withdrawalId }) => [withdrawalId, sequence]),
          [
            ["bob-1", 41],
            ["bob-2", 42]
          ]
        )
      })
    )

    it.effect("pages through all in-flight withdrawals by sequence", () =>
      Effect.gen(function* () {
        const { submit, submitted } = yield* Changes.withdrawals
        const ids = Array.from({ length: submittedAtOnce + 2 }, (_, at) => `many-${at}`)
        yield* World.recorded(UserId.make("may"), ...ids.map((id) => World.accepted(id, { method: "TRON" })))
        const open = yield* Effect.forEach(ids, World.withdrawal, { concurrency: 8 })
        yield* Effect.forEach(open, (withdrawal, at) => submit(withdrawal, 10_000 + at), { concurrency: 8 })
        const first = yield* submitted("TRON", 9_999)
        assert.lengthOf(first, submittedAtOnce)
        const rest = yield* submitted("TRON", first.at(-1)!.sequence!)
        assert.deepStrictEqual(
          [...first, ...rest].map(({ withdrawalId }) => withdrawalId),
          ids
        )
      })
    )

    it.effect("I9, I14: settles a withdrawal once, and moves its amount out of the in-flight account", () =>
      Effect.gen(function* () {
        const userId = UserId.make("cal")
        const { end, settle, submit } = yield* Changes.withdrawals
        const { read } = yield* ReadTables
        yield* World.recorded(userId, World.accepted("cal-1"))
        assert.isFalse(yield* settle(yield* World.withdrawal("cal-1"), "0xearly"))
        yield* submit(yield* World.withdrawal("cal-1"), 900)
        const open = yield* World.withdrawal("cal-1")
        const both = yield* Effect.all([settle(open, "0xpaid"), settle(open, "0xpaid")], { concurrency: 2 })
        assert.sameMembers([...both], [true, false])
        assert.isFalse(
          yield* end("cal-1", { ending: "FAILED", by: "rail/ARBITRUM_ONE", reason: { _tag: "PaymentCancelled" } })
        )
        yield* World.recorded(userId, World.returned("cal-1", "FAILED"))
        assert.deepInclude(yield* World.withdrawal("cal-1"), { state: "SETTLED", reference: "0xpaid", step: 4 })
        assert.deepStrictEqual((yield* stepsOf("cal-1")).slice(2), [
          "3 QUEUED SUBMITTED rail/ARBITRUM_ONE",
          "4 SUBMITTED SETTLED rail/ARBITRUM_ONE"
        ])
        const has = (account: typeof LedgerEntries.withdrawalFeeAccount) => read(LedgerEntries.balance(account))
        assert.strictEqual(yield* has(LedgerEntries.withdrawalFeeAccount), 1_000_000n)
        assert.strictEqual(yield* has(LedgerEntries.externalAccount("ARBITRUM_ONE")), 99_000_000n)
        assert.strictEqual(yield* has(LedgerEntries.inFlightAccount("ARBITRUM_ONE")), -100_000_000n)
        assert.deepStrictEqual(yield* read(LedgerEntries.sumByAsset), [{ asset: "USD", sum: 0n }])
      })
    )

    it.effect("I14, I15: once a withdrawal's end is requested, accepts only the step that returns the money", () =>
      Effect.gen(function* () {
        const userId = UserId.make("dan")
        const { approve, attempt, end, ending, settle, submit } = yield* Changes.withdrawals
        yield* World.recorded(userId, World.accepted("dan-1", { reasons: ["amount"] }), World.accepted("dan-2"))
        const rejected = { _tag: "Rejected", text: "a stranger's address" } as const
        const rejecting = { ending: "REJECTED", by: "olga", reason: rejected } as const
        assert.isFalse(yield* end("dan-1", { ...rejecting, ending: "FAILED" }))
        assert.isTrue(yield* end("dan-1", rejecting))
        assert.isFalse(yield* end("dan-1", rejecting))
        assert.isFalse(yield* approve("dan-1", "otto"))
        yield* submit(yield* World.withdrawal("dan-2"), 901)
        yield* attempt("dan-2", World.payment(1))
        yield* end("dan-2", {
          ending: "FAILED",
          by: "rail/ARBITRUM_ONE",
          reason: { _tag: "TransferRejected" },
          reference: "0xfailed"
        })
        assert.isFalse(yield* settle(yield* World.withdrawal("dan-2"), "0xlate"))
        assert.isFalse(yield* attempt("dan-2", World.payment(2)))
        assert.sameMembers(
          (yield* ending("ARBITRUM_ONE")).map(({ withdrawalId }) => withdrawalId),
          ["dan-1", "dan-2"]
        )
        yield* World.recorded(userId, World.returned("dan-1", "REJECTED"), World.returned("dan-2", "FAILED"))
        yield* World.recorded(userId, World.returned("dan-1", "REJECTED"))
        assert.deepInclude(yield* World.withdrawal("dan-1"), { state: "REJECTED", reason: rejected })
        assert.deepInclude(yield* World.withdrawal("dan-2"), { state: "FAILED", reference: "0xfailed" })
        assert.deepStrictEqual(yield* stepsOf("dan-1"), [
          "1 - ACCEPTED dan",
          "2 ACCEPTED HELD_FOR_REVIEW dan",
          "3 HELD_FOR_REVIEW REJECTED olga"
        ])
        assert.deepStrictEqual((yield* stepsOf("dan-2")).at(-1), "4 SUBMITTED FAILED rail/ARBITRUM_ONE")
        assert.deepStrictEqual(yield* ending("ARBITRUM_ONE"), [])
      })
    )

    it.effect("I52: while withdrawals are blocked, submits no withdrawal but keeps them queued", () =>
      Effect.gen(function* () {
        const userId = UserId.make("gus")
        const { queued, submit } = yield* Changes.withdrawals
        const { audited, blockWithdrawals, resume } = yield* VenueModes
        yield* World.recorded(userId, World.accepted("gus-1"))
        const change = { by: "olga", reason: "a drill" }
        yield* blockWithdrawals(change)
        const open = yield* World.withdrawal("gus-1")
        assert.isFalse(yield* submit(open, 970))
        assert.isTrue((yield* queued("ARBITRUM_ONE", 100)).some(({ withdrawalId }) => withdrawalId === "gus-1"))
        yield* TestClock.adjust("1 second")
        yield* audited({ fault: null, difference: null })
        yield* resume("WITHDRAWALS", change)
        assert.isTrue(yield* submit(open, 970))
      })
    )

    it.effect("until a payment is signed, keeps the time of the first refusal and the reason of the latest one", () =>
      Effect.gen(function* () {
        const userId = UserId.make("hal")
        const { attempt, refuse, refused, submit } = yield* Changes.withdrawals
        yield* World.recorded(userId, World.accepted("hal-1"))
        const refusals = Effect.map(refused(100), (all) =>
          all.flatMap(({ refusal, refusedAtMillis, withdrawalId }) =>
            withdrawalId === "hal-1" ? [[refusal, refusedAtMillis]] : []
          )
        )
        yield* TestClock.setTime(20_000)
        assert.isTrue(yield* refuse("hal-1", World.obstacle("no money")))
        assert.isFalse(yield* refuse("hal-1", World.obstacle("no money")), "the reason is known")
        yield* TestClock.setTime(30_000)
        assert.isTrue(yield* refuse("hal-1", World.obstacle("no gas")))
        assert.deepStrictEqual(yield* refusals, [[World.obstacle("no gas"), 20_000]])
        yield* submit(yield* World.withdrawal("hal-1"), 980)
        assert.deepStrictEqual(yield* refusals, [])
        yield* refuse("hal-1", World.obstacle("above the limit"))
        assert.deepStrictEqual(yield* refusals, [[World.obstacle("above the limit"), 30_000]])
        yield* attempt("hal-1", World.payment(1))
        assert.deepStrictEqual(yield* refusals, [])
      })
    )

    it.effect("I14: once an operator has requested a cancel, stores only the cancelling payment", () =>
      Effect.gen(function* () {
        const userId = UserId.make("ida")
        const { attempt, cancel, submit } = yield* Changes.withdrawals
        const request = { by: "olga", reason: "stuck" }
        yield* World.recorded(userId, World.accepted("ida-1"))
        assert.isFalse(yield* cancel("ida-1", request), "it is QUEUED")
        yield* submit(yield* World.withdrawal("ida-1"), 990)
        yield* attempt("ida-1", World.payment(1))
        assert.isTrue(yield* cancel("ida-1", request))
        assert.isFalse(yield* cancel("ida-1", { by: "otto", reason: "again" }))
        assert.isFalse(yield* attempt("ida-1", World.payment(2)))
        assert.isTrue(yield* attempt("ida-1", { ...World.payment(2), purpose: "cancel" }))
        const expected = { state: "SUBMITTED", cancelledBy: "olga", cancelReason: "stuck", reference: "0x1" } as const
        assert.deepInclude(yield* World.withdrawal("ida-1"), expected)
      })
    )

    it.effect(
      "I14: a queued withdrawal that was cancelled is submitted first, even while withdrawals are blocked",
      () =>
        Effect.gen(function* () {
          const userId = UserId.make("jim")
          const { attempt, cancel, queued, refuse, submit } = yield* Changes.withdrawals
          const { audited, blockWithdrawals, resume } = yield* VenueModes
          const request = { by: "olga", reason: "nobody can be paid there" }
          yield* World.recorded(userId, World.accepted("jim-1"), World.accepted("jim-2"))
          assert.isFalse(yield* cancel("jim-1", request), "the next poll submits it")
          yield* refuse("jim-1", { _tag: "UnpayableDestination" })
          const before = yield* World.withdrawal("jim-1")
          assert.isTrue(yield* cancel("jim-1", request))
          assert.isFalse(yield* cancel("jim-1", { by: "otto", reason: "again" }))
          const frozen = { kind: "user", subject: userId, effect: "frozen" } as const
          yield* (yield* TreasuryFlags).set({ ...frozen, reason: "", setBy: "olga" })
          yield* blockWithdrawals({ by: "olga", reason: "a drill" })
          assert.strictEqual((yield* queued("ARBITRUM_ONE", 1))[0]!.withdrawalId, "jim-1")
          assert.isFalse(yield* submit(before, 995), "the caller does not know of the cancel")
          assert.isTrue(yield* submit(yield* World.withdrawal("jim-1"), 995))
          assert.isFalse(yield* submit(yield* World.withdrawal("jim-2"), 996))
          assert.isFalse(yield* attempt("jim-1", World.payment(1)))
          assert.isTrue(yield* attempt("jim-1", { ...World.payment(1), purpose: "cancel" }))
          const expected = { state: "SUBMITTED", cancelledBy: "olga", refusal: null, reference: null } as const
          assert.deepInclude(yield* World.withdrawal("jim-1"), expected)
          yield* TestClock.adjust("1 second")
          yield* audited({ fault: null, difference: null })
          yield* resume("WITHDRAWALS", { by: "olga", reason: "a drill" })
        })
    )

    it.effect("rule 18.5: an operator can cancel a frozen user's queued withdrawal", () =>
      Effect.gen(function* () {
        const userId = UserId.make("kim")
        const { attempt, cancel, submit } = yield* Changes.withdrawals
        const request = { by: "olga", reason: "the account stays frozen" }
        yield* World.recorded(userId, World.accepted("kim-1"))
        assert.isFalse(yield* cancel("kim-1", request), "it leaves at the next look")
        const frozen = { kind: "user", subject: userId, effect: "frozen" } as const
        yield* (yield* TreasuryFlags).set({ ...frozen, reason: "", setBy: "olga" })
        assert.isTrue(yield* cancel("kim-1", request))
        assert.isTrue(yield* submit(yield* World.withdrawal("kim-1"), 997))
        assert.isFalse(yield* attempt("kim-1", World.payment(1)))
        assert.isTrue(yield* attempt("kim-1", { ...World.payment(1), purpose: "cancel" }))
      })
    )

    it.effect("rule 18: puts an approved withdrawal at the end of the queue", () =>
      Effect.gen(function* () {
        const userId = UserId.make("eve")
        const { approve, countInState, inState, queued } = yield* Changes.withdrawals
        yield* World.recorded(userId, World.accepted("eve-1", { reasons: ["amount"], method: "wire", atMillis: 10 }))
        yield* World.recorded(userId, World.accepted("eve-2", { method: "wire", atMillis: 20, fee: 25_000_000n }))
        assert.strictEqual(
          yield* countInState("HELD_FOR_REVIEW"),
          (yield* inState("HELD_FOR_REVIEW", { limit: 100, offset: 0 })).length
        )
        assert.include(
          (yield* inState("HELD_FOR_REVIEW", { limit: 100, offset: 0 })).map(({ withdrawalId }) => withdrawalId),
          "eve-1"
        )
        yield* TestClock.adjust("1 minute")
        assert.isTrue(yield* approve("eve-1", "olga"))
        assert.isFalse(yield* approve("eve-1", "olga"))
        assert.deepStrictEqual(
          (yield* queued("BANK", 10)).map(({ withdrawalId }) => withdrawalId),
          ["eve-2", "eve-1"]
        )
        assert.deepStrictEqual((yield* stepsOf("eve-1")).at(-1), "3 HELD_FOR_REVIEW QUEUED olga")
      })
    )

    it.effect(
      "does not submit a withdrawal while its user or address is frozen or its chain lacks a credited deposit",
      () =>
        Effect.gen(function* () {
          const userId = UserId.make("fay")
          yield* (yield* Users).create({ userId, name: "Fay" })
          const { confirm, detect, missing, offer } = yield* Changes.deposits
          const flags = yield* TreasuryFlags
          const states = yield* UserStates
          const { queued, submit } = yield* Changes.withdrawals
          yield* World.recorded(userId, World.accepted("fay-1", { destination: "0xfay" }))
          yield* detect(World.seen("fay-tx", { userId }))
          const depositId = (yield* World.deposit("fay-tx")).depositId
          yield* confirm(depositId, null)
          yield* offer(depositId)
          yield* World.recorded(userId, World.deposited("fay-tx"))
          const isBlocked = Effect.map(World.withdrawal("fay-1"), (row) => row.isBlocked)
          const flag = { reason: "", setBy: "olga" }
          const blocks = [
            [states.freeze(userId), states.unfreeze(userId)],
            [
              flags.set({ kind: "user", subject: userId, effect: "frozen", ...flag }),
              flags.clear({ kind: "user", subject: userId, effect: "frozen" })
            ],
            [
              flags.set({ kind: "address", subject: "0xfay", effect: "frozen", ...flag }),
              flags.clear({ kind: "address", subject: "0xfay", effect: "frozen" })
            ],
            [missing(depositId, true), missing(depositId, false)]
          ] as const
          yield* flags.set({ kind: "user", subject: userId, effect: "flagged", ...flag })
          for (const [block, unblock] of blocks) {
            assert.isFalse(yield* isBlocked)
            const open = yield* World.withdrawal("fay-1")
            yield* block
            assert.isTrue(yield* isBlocked)
            assert.isFalse((yield* queued("ARBITRUM_ONE", 100)).some(({ withdrawalId }) => withdrawalId === "fay-1"))
            assert.isFalse(yield* submit(open, 950), "the row was read before the block")
            yield* unblock
          }
          assert.isTrue(yield* submit(yield* World.withdrawal("fay-1"), 950))
        })
    )
  })

suite("withdrawals in memory", World.inMemory)
suite("withdrawals on Postgres", World.onPostgres)
