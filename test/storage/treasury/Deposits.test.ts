import type { AccountId } from "@venue/domain/AccountId"
import { depositIdOf } from "@venue/domain/Deposit"
import { UserId } from "@venue/domain/UserId"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as World from "./TreasuryWorld.ts"
import * as Changes from "./Changes.ts"

type Services = Layer.Success<typeof World.inMemory>
const idOf = (txHash: string) => depositIdOf("TRON", txHash, 0)

const unreachable = (text: string) => ({ _tag: "Unreachable", text }) as const
const all = { limit: 10, offset: 0 }

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    const stepsOf = (txHash: string) =>
      Effect.flatMap(Deposits, ({ steps }) =>
        Effect.map(steps(idOf(txHash)), (all) => all.map(({ fromState, toState }) => `${fromState ?? "-"} ${toState}`))
      )

    it.effect(
      "I16: stores a transfer once under concurrent reports, but two transfers in one transaction as two deposits",
      () =>
        Effect.gen(function* () {
          const { countOfUser, detect, find, ofUser } = yield* Deposits
          const userId = UserId.make("told")
          const notices = Array.from({ length: 20 }, (_, at) => World.seen("tx", { userId, logIndex: at % 2 }))
          yield* Effect.forEach(notices, detect, { concurrency: "unbounded" })
          assert.strictEqual((yield* ofUser(userId, all)).length, 2)
          assert.strictEqual(yield* countOfUser(userId), 2)
          assert.deepStrictEqual(
            (yield* ofUser(userId, { limit: 10, offset: 0 })).map(({ logIndex, state, step }) => [
              logIndex,
              state,
              step
            ]),
            [
              [1, "DETECTED", 1],
              [0, "DETECTED", 1]
            ]
          )
          assert.isTrue(Option.isNone(yield* find(depositIdOf("TRON", "tx", 2))))
          assert.deepStrictEqual(yield* stepsOf("tx"), ["- DETECTED"])
        })
    )

    it.effect(
      "I9: holds a bank deposit without an owner in the suspense account until it is assigned or returned",
      () =>
        Effect.gen(function* () {
          const { addresses, assign, confirm, detect, drop, returned } = yield* Changes.deposits
          const { read } = yield* ReadTables
          const bank = (txHash: string, userId: UserId | null) =>
            World.seen(txHash, { rail: "BANK", method: "wire", userId, address: `to ${txHash}`, block: null })
          const suspense = read(LedgerEntries.balance(LedgerEntries.suspenseAccount))
          const ids = ["assigned", "back"].map((txHash) => depositIdOf("BANK", txHash, 0)) as [string, string]
          for (const txHash of ["assigned", "assigned", "back"]) yield* detect(bank(txHash, null))
          yield* detect(bank("known", UserId.make("amy")))
          // Chain deposits without an owner are not held in suspense.
          yield* detect(World.seen("nobody", { userId: null }))
          assert.strictEqual(yield* suspense, 100_000_000n)
          assert.sameMembers([...(yield* addresses("BANK"))], ["to assigned", "to back", "to known"])
          assert.isTrue(yield* drop(depositIdOf("BANK", "known", 0), "bank-return"))
          yield* confirm(ids[0], "unknown-message")
          const accepted = yield* Effect.all(
            ["amy", "ben"].map((name) => assign(ids[0], UserId.make(name), null)),
            { concurrency: 2 }
          )
          assert.sameMembers(accepted, [true, false])
          assert.strictEqual(yield* suspense, 50_000_000n)
          yield* returned(ids[1])
          assert.isTrue(yield* drop(ids[1], "bank-return"))
          assert.strictEqual(yield* suspense, 0n)
          // The assignment released the amount from suspense.
          assert.isTrue(yield* drop(ids[0], "bank-return"))
          assert.strictEqual(yield* suspense, 0n)
          assert.strictEqual(yield* read(LedgerEntries.balance(LedgerEntries.externalAccount("BANK"))), 0n)
        })
    )

    it.effect(
      "I16: credits and reverses a deposit exactly once, even if the trader's events are recorded repeatedly",
      () =>
        Effect.gen(function* () {
          const { confirm, detect, offer } = yield* Changes.deposits
          const userId = UserId.make("life")
          yield* detect(World.seen("life", { userId }))
          yield* World.recorded(userId, World.deposited("life"))
          assert.deepInclude(yield* World.deposit("life"), { state: "DETECTED" })
          assert.isFalse(yield* offer(idOf("life")))
          const both = yield* Effect.all([confirm(idOf("life"), null), confirm(idOf("life"), null)], { concurrency: 2 })
          assert.sameMembers([...both], [true, false])
          assert.isTrue(yield* offer(idOf("life")))
          assert.isTrue(yield* offer(idOf("life")))
          yield* World.recorded(userId, World.deposited("life"))
          yield* World.recorded(userId, World.deposited("life"))
          assert.deepInclude(yield* World.deposit("life"), { state: "CREDITED", creditedAtMillis: 8_000 })
          yield* World.recorded(userId, World.reversed("life"))
          yield* World.recorded(userId, World.reversed("life"))
          assert.deepInclude(yield* World.deposit("life"), { state: "REVERSED", reason: "missing-on-chain" })
          yield* detect(World.seen("life", { userId, block: { number: 9, hash: "block-9" } }))
          assert.deepInclude(yield* World.deposit("life"), {
            state: "REVERSED",
            reason: "seen-again",
            blockHash: "block-9"
          })
          assert.deepStrictEqual(yield* stepsOf("life"), [
            "- DETECTED",
            "DETECTED CONFIRMED",
            "CONFIRMED CREDITED",
            "CREDITED REVERSED"
          ])
        })
    )

    it.effect("I16: in every state, ignores a deposit seen again in the same block", () =>
      Effect.gen(function* () {
        const { confirm, detect, finish, missing, offer } = yield* Changes.deposits
        const userId = UserId.make("again")
        const again = World.seen("again", { userId })
        yield* detect(again)
        for (const step of [
          confirm(idOf("again"), null),
          offer(idOf("again")),
          World.recorded(userId, World.deposited("again")),
          missing(idOf("again"), true),
          finish(idOf("again")),
          World.recorded(userId, World.reversed("again"))
        ]) {
          const [row, steps] = [yield* World.deposit("again"), yield* stepsOf("again")]
          yield* TestClock.adjust("1 second")
          yield* detect(again)
          assert.deepStrictEqual([yield* World.deposit("again"), yield* stepsOf("again")], [row, steps])
          yield* step
        }
        const reversed = yield* World.deposit("again")
        yield* detect(again)
        assert.deepStrictEqual(yield* World.deposit("again"), reversed)
        assert.strictEqual(reversed.state, "REVERSED")
      })
    )

    it.effect(
      "I16: a deposit can be dropped and detected again, but cannot be dropped once it is offered for credit",
      () =>
        Effect.gen(function* () {
          const { confirm, detect, drop, offer, ofUser, unconfirm } = yield* Changes.deposits
          const userId = UserId.make("lost")
          yield* detect(World.seen("lost", { userId }))
          assert.isTrue(yield* drop(idOf("lost"), "missing-on-chain"))
          assert.strictEqual((yield* ofUser(userId, all)).length, 0)
          yield* detect(World.seen("lost", { userId }))
          assert.deepInclude(yield* World.deposit("lost"), { state: "DETECTED", reason: null })
          yield* confirm(idOf("lost"), null)
          assert.isTrue(yield* unconfirm(idOf("lost")))
          yield* confirm(idOf("lost"), null)
          yield* offer(idOf("lost"))
          assert.isFalse(yield* unconfirm(idOf("lost")))
          assert.isFalse(yield* drop(idOf("lost"), "missing-on-chain"))
          assert.deepStrictEqual(yield* stepsOf("lost"), [
            "- DETECTED",
            "DETECTED DROPPED",
            "DROPPED DETECTED",
            "DETECTED CONFIRMED",
            "CONFIRMED DETECTED",
            "DETECTED CONFIRMED"
          ])
        })
    )

    it.effect("offers a deposit for credit only if it has an owner and no obstacle to the credit", () =>
      Effect.gen(function* () {
        const { assign, confirm, countUnmatched, detect, offer, unmatched } = yield* Changes.deposits
        yield* detect(World.seen("small"))
        yield* confirm(idOf("small"), "below-minimum")
        assert.isFalse(yield* offer(idOf("small")))
        yield* detect(World.seen("nobody", { userId: null }))
        assert.isFalse(yield* assign(idOf("nobody"), UserId.make("amy"), null))
        yield* confirm(idOf("nobody"), "unknown-message")
        const waiting = yield* unmatched({ limit: 10, offset: 0 })
        assert.strictEqual(yield* countUnmatched, waiting.length)
        assert.deepStrictEqual(
          waiting.map(({ depositId }) => depositId),
          [idOf("nobody")]
        )
        assert.isTrue(yield* assign(idOf("nobody"), UserId.make("amy"), null))
        assert.isFalse(yield* assign(idOf("nobody"), UserId.make("ben"), null))
        assert.isTrue(yield* offer(idOf("nobody")))
        assert.deepInclude(yield* World.deposit("nobody"), { userId: UserId.make("amy"), reason: null })
      })
    )

    it.effect(
      "I9: records a final deposit without an owner as the venue's money exactly once, together with its ledger entries",
      () =>
        Effect.gen(function* () {
          const { assign, confirm, detect, drop, finish, own, returned, unmatched } = yield* Changes.deposits
          const { read } = yield* ReadTables
          const balance = (account: AccountId) => read(LedgerEntries.balance(account))
          const external = LedgerEntries.externalAccount("TRON")
          const before = yield* Effect.all([balance(LedgerEntries.ownAccount), balance(external)])
          yield* detect(World.seen("ours", { userId: null, amount: 9_000_000n }))
          const ours = World.deposit("ours")
          assert.isFalse(yield* own(yield* ours, "a top-up"))
          yield* confirm(idOf("ours"), "paying-account")
          assert.isFalse(yield* own(yield* ours, "a top-up"))
          yield* finish(idOf("ours"))
          const deposit = yield* ours
          const accepted = yield* Effect.all([own(deposit, "a top-up"), own(deposit, "another's")], { concurrency: 2 })
          assert.sameMembers(accepted, [true, false])
          assert.isFalse(yield* assign(idOf("ours"), UserId.make("amy"), null))
          assert.deepStrictEqual(yield* unmatched(all), [])
          assert.deepInclude(yield* ours, { state: "CONFIRMED", userId: null, reason: "venue-own" })
          assert.deepStrictEqual(yield* Effect.all([balance(LedgerEntries.ownAccount), balance(external)]), [
            before[0] + 9_000_000n,
            before[1] - 9_000_000n
          ])

          // A user's deposit cannot be declared the venue's own.
          yield* detect(World.seen("amys", { userId: UserId.make("amy") }))
          yield* confirm(idOf("amys"), "below-minimum")
          yield* finish(idOf("amys"))
          assert.isFalse(yield* own(yield* World.deposit("amys"), "a top-up"))
          // Other people send tiny amounts to chain accounts, so deposits this small are not listed for operators.
          yield* detect(World.seen("dust", { userId: null, amount: 1n }))
          yield* confirm(idOf("dust"), "below-minimum")
          assert.deepStrictEqual(yield* unmatched(all), [])
          const bank = { rail: "BANK", method: "wire", block: null, userId: null, amount: 1n } as const
          const few = depositIdOf("BANK", "few", 0)
          yield* detect(World.seen("few", bank))
          yield* confirm(few, "below-minimum")
          assert.deepStrictEqual(
            (yield* unmatched(all)).map(({ depositId }) => depositId),
            [few]
          )
          yield* returned(few)
          yield* drop(few, "bank-return")
        })
    )

    it.effect("returns the deposits whose state can still change, least recently checked first", () =>
      Effect.gen(function* () {
        const { confirm, detect, due, finish, returned } = yield* Changes.deposits
        const rail = { rail: "BANK", method: "wire", block: null } as const
        const id = (txHash: string) => depositIdOf("BANK", txHash, 0)
        const next = (limit: number) => Effect.map(due("BANK", limit), (rows) => rows.map(({ txHash }) => txHash))
        for (const txHash of ["due-1", "due-2", "due-3"]) {
          yield* TestClock.adjust("1 second")
          yield* detect(World.seen(txHash, rail))
        }
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* next(2), ["due-1", "due-2"])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* next(1), ["due-3"])
        yield* confirm(id("due-1"), "below-minimum")
        yield* confirm(id("due-2"), null)
        for (const txHash of ["due-1", "due-2", "due-3"]) yield* finish(id(txHash))
        assert.deepStrictEqual(yield* next(10), ["due-2"])
        yield* returned(id("due-1"))
        assert.deepStrictEqual(yield* next(10), ["due-1", "due-2"])
        yield* detect(World.seen("due-1", rail))
      })
    )

    it.effect(
      "keeps the start of a rail's outage, and moves the rail's cursor only from the position that is stored",
      () =>
        Effect.gen(function* () {
          const { answers, find, scanned, unavailable } = yield* RailStates
          assert.deepInclude(yield* find("TRON"), { cursor: null, unavailableSinceMillis: null })
          yield* unavailable("TRON", unreachable("refused"))
          const since = (yield* find("TRON")).unavailableSinceMillis
          yield* TestClock.adjust("1 minute")
          yield* unavailable("TRON", unreachable("timed out"))
          assert.deepInclude(yield* find("TRON"), { unavailableSinceMillis: since, cause: unreachable("timed out") })
          yield* scanned("TRON", null, "10")
          assert.deepInclude(yield* find("TRON"), {
            cursor: "10",
            unavailableSinceMillis: since,
            cause: unreachable("timed out")
          })
          yield* answers("TRON")
          assert.deepInclude(yield* find("TRON"), { cursor: "10", unavailableSinceMillis: null, cause: null })
          yield* scanned("TRON", null, "3")
          assert.strictEqual((yield* find("TRON")).cursor, "10")
          yield* scanned("TRON", "10", "11")
          assert.strictEqual((yield* find("TRON")).cursor, "11")
        })
    )
  })

suite("deposits in memory", World.inMemory)
suite("deposits on Postgres", World.onPostgres)
