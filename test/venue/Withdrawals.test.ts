/**
 * Every state of a withdrawal on simulated rails, with two owners, and with an owner that crashes between any two
 * steps.
 */
import * as Look from "@venue/cluster/entities/rail/Look"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { has, paidTimes, pass, simulated, statesOf, story, usd, withdraw } from "./Rails.ts"
import * as Changes from "../storage/treasury/Changes.ts"

story("I13, I14: debits and pays a withdrawal once, and writes ledger entries for the amount and the fee", (venue) =>
  Effect.gen(function* () {
    const ann = yield* venue.user("ann", 1_000)
    yield* withdraw(ann, "w", usd(300))
    yield* withdraw(ann, "w", usd(300))
    assert.strictEqual(yield* has(ann), usd(700))
    yield* pass(8)
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.deepStrictEqual([...(yield* paidTimes("ARBITRUM_ONE"))], [["w", 1]])
    const [payment] = yield* (yield* simulated("ARBITRUM_ONE")).payments
    assert.deepInclude(payment, { amount: usd(299), to: "0xabc" })
    const { read } = yield* ReadTables
    const entries = yield* Effect.all([
      read(LedgerEntries.balance(LedgerEntries.inFlightAccount("ARBITRUM_ONE"))),
      read(LedgerEntries.balance(LedgerEntries.externalAccount("ARBITRUM_ONE"))),
      read(LedgerEntries.balance(LedgerEntries.withdrawalFeeAccount))
    ])
    assert.deepStrictEqual(entries, [0n, usd(299), usd(1)])
  })
)

story("I14: refunds a failed withdrawal's gross amount once, and never pays the withdrawal", (venue) =>
  Effect.gen(function* () {
    const bob = yield* venue.user("bob", 1_000)
    yield* (yield* simulated("TRON")).nextFate("fail")
    yield* withdraw(bob, "w", usd(300), "TRON")
    yield* pass(10)
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED FAILED")
    assert.strictEqual(yield* has(bob), usd(1_000))
    assert.strictEqual((yield* paidTimes("TRON")).size, 0)
  })
)

story("I14: resends a stalled withdrawal under the same sequence number, and pays it once", (venue) =>
  Effect.gen(function* () {
    const cal = yield* venue.user("cal", 1_000)
    yield* (yield* simulated("ARBITRUM_ONE")).nextFate("stall")
    yield* withdraw(cal, "w", usd(300))
    yield* pass(30)
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED")
    yield* pass(45)
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.lengthOf(yield* (yield* Withdrawals).payments("w"), 2)
    const payments = yield* (yield* simulated("ARBITRUM_ONE")).payments
    assert.deepStrictEqual(
      payments.map(({ fate, sequence }) => [fate, sequence]),
      [
        ["stall", 0],
        ["pay", 0]
      ]
    )
  })
)

story("I14: fails and refunds a stuck withdrawal once an operator's cancel is final", (venue) =>
  Effect.gen(function* () {
    const ida = yield* venue.user("ida", 1_000)
    const { cancel, payments } = yield* Changes.withdrawals
    yield* (yield* simulated("ARBITRUM_ONE")).nextFate("stall")
    yield* withdraw(ida, "w", usd(300))
    yield* pass(5)
    yield* cancel("w", { by: "olga", reason: "stuck" })
    yield* pass(2)
    assert.deepStrictEqual(
      (yield* payments("w")).map(({ attempt, purpose }) => [attempt, purpose]),
      [
        [1, "pay"],
        [2, "cancel"]
      ]
    )
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED")
    assert.strictEqual(yield* has(ida), usd(700))
    yield* pass(5)
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED FAILED")
    assert.strictEqual(yield* has(ida), usd(1_000))
    assert.strictEqual((yield* paidTimes("ARBITRUM_ONE")).size, 0)
  })
)

story("I14: settles a withdrawal that was paid before its cancel, and refunds nothing", (venue) =>
  Effect.gen(function* () {
    const jon = yield* venue.user("jon", 1_000)
    yield* withdraw(jon, "w", usd(300))
    yield* pass(2)
    yield* (yield* Changes.withdrawals).cancel("w", { by: "olga", reason: "a mistake" })
    yield* pass(8)
    assert.strictEqual(yield* statesOf("w"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    assert.strictEqual(yield* has(jon), usd(700))
    assert.strictEqual((yield* paidTimes("ARBITRUM_ONE")).get("w"), 1)
  })
)

story("rule 18.4: sends a withdrawal held for review after approval, and refunds it after rejection", (venue) =>
  Effect.gen(function* () {
    const dan = yield* venue.user("dan", 200_000)
    const { approve, end } = yield* Changes.withdrawals
    yield* withdraw(dan, "large", usd(50_001))
    yield* withdraw(dan, "new", usd(10), "ARBITRUM_ONE", ["new-destination"])
    yield* pass(5)
    assert.strictEqual(yield* statesOf("large"), "ACCEPTED HELD_FOR_REVIEW")
    yield* approve("large", "olga")
    yield* end("new", { ending: "REJECTED", by: "olga", reason: { _tag: "Rejected", text: "a mixer" } })
    yield* pass(8)
    assert.strictEqual(yield* statesOf("large"), "ACCEPTED HELD_FOR_REVIEW QUEUED SUBMITTED SETTLED")
    assert.strictEqual(yield* statesOf("new"), "ACCEPTED HELD_FOR_REVIEW REJECTED")
    assert.strictEqual(yield* has(dan), usd(149_999))
  })
)

story("holds a frozen user's withdrawal at its queue position, and pays the withdrawals behind it", (venue) =>
  Effect.gen(function* () {
    const [eve, fay] = [yield* venue.user("eve", 100), yield* venue.user("fay", 100)]
    const flags = yield* TreasuryFlags
    const frozen = { kind: "user", subject: eve.userId, effect: "frozen" } as const
    yield* flags.set({ ...frozen, reason: "", setBy: "olga" })
    yield* withdraw(eve, "eve", usd(20))
    yield* withdraw(fay, "fay", usd(20))
    yield* pass(8)
    assert.strictEqual(yield* statesOf("eve"), "ACCEPTED QUEUED")
    assert.strictEqual(yield* statesOf("fay"), "ACCEPTED QUEUED SUBMITTED SETTLED")
    yield* flags.clear(frozen)
    yield* pass(8)
    assert.strictEqual(yield* statesOf("eve"), "ACCEPTED QUEUED SUBMITTED SETTLED")
  })
)

story("I14, I15: pays each withdrawal once even if a rail has two concurrent owners", (venue) =>
  Effect.gen(function* () {
    const gus = yield* venue.user("gus", 10_000)
    const { provider } = yield* simulated("TRON")
    const looks = [yield* Look.make(provider), yield* Look.make(provider)]
    yield* venue.settle
    const ids = Array.from({ length: 20 }, (_, at) => `w${at}`)
    for (const id of ids) yield* withdraw(gus, id, usd(20), "TRON")
    for (let second = 0; second < 12; second++) {
      yield* Effect.all(looks, { concurrency: "unbounded" })
      yield* pass(1)
    }
    for (const id of ids) assert.strictEqual(yield* statesOf(id), "ACCEPTED QUEUED SUBMITTED SETTLED")
    const times = yield* paidTimes("TRON")
    assert.deepStrictEqual([times.size, Math.max(...times.values())], [20, 1])
    assert.strictEqual(yield* has(gus), usd(10_000 - 20 * 20))
  })
)

/** Points at which an owner might crash: before or after a request to the rail. */
const asked = ["scan", "arrivalStates", "check", "sign", "send", "outcome"] as const
const ends = asked.flatMap((step) => [`before ${step}`, `after ${step}`] as const)

/** Returns a provider whose owner crashes at that point, as if its process were killed. */
const ending = (provider: RailProvider, end: (typeof ends)[number]): RailProvider => {
  const at = <A, E, R>(step: (typeof asked)[number], work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    end === `before ${step}`
      ? Effect.interrupt
      : end === `after ${step}`
        ? Effect.andThen(work, Effect.interrupt)
        : work
  return {
    ...provider,
    scan: (cursor, watched) => at("scan", provider.scan(cursor, watched)),
    arrivalStates: (arrivals) => at("arrivalStates", provider.arrivalStates(arrivals)),
    check: (order, promised) => at("check", provider.check(order, promised)),
    sign: (order) => at("sign", provider.sign(order)),
    send: (payment) => at("send", provider.send(payment)),
    outcome: (payments) => at("outcome", provider.outcome(payments))
  }
}

story("I14: finishes every withdrawal once if an owner crashes before or after any request to the rail", (venue) =>
  Effect.gen(function* () {
    const hal = yield* venue.user("hal", 10_000)
    const { nextFate, provider } = yield* simulated("TRON")
    let left = 10_000
    for (const [at, end] of ends.entries()) {
      const dying = yield* Look.make(ending(provider, end))
      const fails = at % 3 === 2
      if (fails) yield* nextFate("fail")
      yield* withdraw(hal, end, usd(20), "TRON")
      // These attempts do not advance the venue's clock.
      for (let look = 0; look < 3; look++) yield* Effect.exit(dying)
      yield* pass(45)
      const last = fails ? "FAILED" : "SETTLED"
      assert.strictEqual(yield* statesOf(end), `ACCEPTED QUEUED SUBMITTED ${last}`, end)
      assert.strictEqual((yield* paidTimes("TRON")).get(end) ?? 0, fails ? 0 : 1, end)
      if (!fails) left -= 20
      assert.strictEqual(yield* has(hal), usd(left), end)
    }
  })
)
