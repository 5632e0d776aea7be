/**
 * Audits of simulated rails: the holding equals the books after every step of a deposit or withdrawal, and a
 * difference of one unit is reported.
 */
import { VenueModeActions } from "@venue/auth/access/VenueModeActions"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { Users } from "@venue/storage/access/Users"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { OwnMoney } from "@venue/storage/treasury/OwnMoney"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Auditing from "../../../apps/auditor/Auditing.ts"
import * as Passes from "../../../apps/auditor/Passes.ts"
import * as RailVenue from "./RailVenue.ts"
import * as Changes from "../../storage/treasury/Changes.ts"

const usd = (whole: number) => BigInt(whole * 1_000_000)

const stateOf = (withdrawalId: string) =>
  Effect.flatMap(Withdrawals, ({ find }) => Effect.map(find(withdrawalId), (row) => Option.getOrThrow(row).state))
const depositStateOf = (depositId: string) =>
  Effect.flatMap(Deposits, ({ find }) => Effect.map(find(depositId), (row) => Option.getOrThrow(row).state))

/** Destination of all withdrawals of the test. */
const linked = Effect.gen(function* () {
  const details = {
    first_name: "Amy",
    last_name: "Adams",
    routing_number: "021000021",
    bank_name: "First Bank",
    account_number: "900000012345",
    type: "checking",
    street_line_1: "1 First Street",
    country: "USA",
    state: "NY",
    city: "New York",
    postal_code: "10001"
  }
  const account = { accountId: RailVenue.destination, userId: RailVenue.user, holderKnown: true }
  yield* (yield* BankAccounts).link({ ...account, details: Redacted.make(details) })
})

layer(RailVenue.layer, { timeout: "60 seconds" })("rail holdings", (it) => {
  it.effect(
    "I12: reports no difference on a chain after any step of a deposit or withdrawal, even after reorganisations",
    () =>
      Effect.gen(function* () {
        yield* (yield* Users).create({ userId: RailVenue.user, name: "amy" })
        const rail = "TRON"
        const { pass, simulated, withdraw } = yield* RailVenue.open(rail)
        const { addressAt } = (yield* RailProviders).get(rail)!
        const { address } = yield* (yield* DepositAddresses).provide(RailVenue.user, rail, addressAt!)
        const idOf = (txHash: string) => `${rail}/${txHash}/0`
        yield* pass(3)
        // One deposit to an unknown address, and one below the minimum credit.
        yield* simulated.deposit("Tsomebody", usd(7), null)
        yield* simulated.deposit(address, usd(1), null)
        const stays = yield* simulated.deposit(address, usd(500), null)
        yield* pass(2)
        assert.strictEqual(yield* depositStateOf(idOf(stays)), "DETECTED")
        yield* simulated.reorganise(3, true)
        yield* pass(22)
        assert.strictEqual(yield* depositStateOf(idOf(stays)), "CREDITED")
        yield* withdraw("paid", "TRON", usd(100))
        yield* pass(6)
        assert.strictEqual(yield* stateOf("paid"), "SETTLED")
        yield* simulated.nextFate("fail")
        yield* withdraw("failed", "TRON", usd(30))
        yield* pass(6)
        assert.strictEqual(yield* stateOf("failed"), "FAILED")
        const { cancel, refuse } = yield* Changes.withdrawals
        yield* withdraw("refused", "TRON", usd(20))
        yield* refuse("refused", { _tag: "InvalidDestination" })
        yield* cancel("refused", { by: "olga", reason: "nobody can be paid there" })
        yield* pass(6)
        assert.strictEqual(yield* stateOf("refused"), "FAILED")
        const dropped = yield* simulated.deposit(address, usd(40), null)
        yield* pass(2)
        yield* simulated.reorganise(2, false)
        yield* pass(3)
        assert.strictEqual(yield* depositStateOf(idOf(dropped)), "DROPPED")
        const lost = yield* simulated.deposit(address, usd(60), null)
        yield* withdraw("meanwhile", "TRON", usd(50))
        yield* pass(22)
        assert.strictEqual(yield* depositStateOf(idOf(lost)), "CREDITED")
        yield* simulated.reorganise(30, false)
        // The deposit is reversed a minute after the chain lost it.
        yield* pass(2)
        yield* TestClock.adjust("55 seconds")
        yield* pass(6)
        assert.strictEqual(yield* depositStateOf(idOf(lost)), "REVERSED")
        yield* simulated.cutOff(8)
        yield* pass(12)
      }),
    900_000
  )

  it.effect(
    "I9, I12: reports no difference at a bank, where money without an owner stays in suspense until it is assigned",
    () =>
      Effect.gen(function* () {
        const { pass, simulated, withdraw } = yield* RailVenue.open("BANK")
        const { message } = yield* (yield* DepositMessages).provide(RailVenue.user, "ach_push")
        const { read } = yield* ReadTables
        const suspense = read(LedgerEntries.balance(LedgerEntries.suspenseAccount))
        const idOf = (txHash: string) => `BANK/${txHash}/0`
        const { assign, find, own } = yield* Changes.deposits
        const { cancel } = yield* Changes.withdrawals
        yield* pass(2)
        const known = yield* simulated.deposit(message, usd(200), "ach_push")
        const unassigned = yield* simulated.deposit("whose is it", usd(300), "wire")
        const never = yield* simulated.deposit("nobody's", usd(50), "ach_push")
        yield* pass(3)
        assert.strictEqual(yield* suspense, usd(350))
        assert.isTrue(yield* assign(idOf(unassigned), RailVenue.user, null))
        assert.isFalse(yield* assign(idOf(unassigned), RailVenue.user, null))
        assert.strictEqual(yield* suspense, usd(50))
        yield* simulated.takeBack(never)
        yield* pass(3)
        assert.strictEqual(yield* depositStateOf(idOf(unassigned)), "CREDITED")
        assert.strictEqual(yield* depositStateOf(idOf(never)), "DROPPED")
        assert.strictEqual(yield* suspense, 0n)
        yield* withdraw("unlinked", "wire", usd(70))
        yield* pass(2)
        assert.strictEqual(yield* stateOf("unlinked"), "QUEUED")
        assert.isTrue(yield* cancel("unlinked", { by: "olga", reason: "it was removed" }))
        yield* pass(5)
        assert.strictEqual(yield* stateOf("unlinked"), "FAILED")
        yield* linked
        yield* withdraw("wired", "wire", usd(100))
        yield* simulated.takeBack(known)
        yield* pass(7)
        assert.strictEqual(yield* stateOf("wired"), "SETTLED")
        assert.strictEqual(yield* depositStateOf(idOf(known)), "REVERSED")
        const ours = yield* simulated.deposit("top-up", usd(1_000), "wire")
        yield* pass(3)
        assert.strictEqual(yield* suspense, usd(1_000))
        assert.isTrue(yield* own(Option.getOrThrow(yield* find(idOf(ours))), "to pay withdrawals"))
        yield* pass(3)
        assert.strictEqual(yield* suspense, 0n)
        assert.strictEqual(yield* read(LedgerEntries.balance(LedgerEntries.ownAccount)), usd(1_000))
        assert.isTrue((yield* read(LedgerEntries.sumByAsset)).every(({ sum }) => sum === 0n))
      })
  )

  it.effect("I12: reports no difference if a bank returns a deposit after the rail's holdings were read", () =>
    Effect.gen(function* () {
      const { audited, hold, pass, simulated } = yield* RailVenue.open("BANK")
      const { returned } = yield* Changes.deposits
      const sent = yield* Effect.forEach([7, 8], (dollars) => simulated.deposit("a stranger's", usd(dollars), "wire"))
      yield* pass(3)
      for (const txHash of sent) {
        yield* TestClock.adjust("1 minute")
        yield* hold
        yield* TestClock.adjust("1 second")
        assert.isTrue(yield* returned(`BANK/${txHash}/0`))
        const { difference, of } = yield* audited
        assert.deepStrictEqual([difference, of!.times], [null, 0])
        yield* simulated.takeBack(txHash)
        yield* pass(3)
      }
    })
  )

  it.effect(
    "I12, I53: blocks withdrawals if one unit is missing in two audits, until an operator resumes withdrawals",
    () =>
      Effect.gen(function* () {
        const { second, simulated } = yield* RailVenue.open("ARBITRUM_ONE")
        const actions = yield* VenueModeActions
        const modes = yield* VenueModes
        const auditing = yield* Auditing.make(yield* Passes.full, 7 * 86_400_000)
        yield* Effect.forkChild(auditing.forever)
        const next = Effect.gen(function* () {
          const { auditedAtMillis } = yield* modes.read
          // If an audit is running when the clock moves, the next audit starts later.
          const next = TestClock.adjust("500 millis").pipe(
            Effect.andThen(TestClock.withLive(Effect.sleep("10 millis"))),
            Effect.andThen(modes.read)
          )
          return yield* Effect.repeat(next, { until: (mode) => mode.auditedAtMillis !== auditedAtMillis })
        })
        /** Waits for two audits, because the first one might have started earlier. */
        const mode = Effect.andThen(next, next)
        const resume = Effect.result(actions.resume("WITHDRAWALS", { actor: "olga", reason: "it is there again" }))
        yield* second
        assert.deepInclude(yield* mode, { withdrawals: "OPEN", difference: null })
        yield* simulated.addUntold(-1n)
        yield* second
        assert.deepInclude(yield* mode, { withdrawals: "OPEN", difference: null })
        yield* second
        const blocked = yield* mode
        assert.deepInclude(blocked, { withdrawals: "BLOCKED", trading: "TRADING", changedBy: "auditor", fault: null })
        assert.include(blocked.difference, "ARBITRUM_ONE")
        assert.include(blocked.difference, "difference -1")
        assert.strictEqual((yield* resume)._tag, "Failure")

        yield* simulated.addUntold(1n)
        yield* second
        assert.deepInclude(yield* mode, { withdrawals: "BLOCKED", difference: null })
        assert.strictEqual((yield* resume)._tag, "Success")
        assert.deepInclude(yield* mode, { withdrawals: "OPEN", difference: null })

        // The operator's own money is recorded and causes no difference.
        yield* simulated.addUntold(usd(1_000))
        const { move } = yield* OwnMoney
        const topUp = { id: "a", rail: "ARBITRUM_ONE", amount: usd(1_000), reason: "for large withdrawals" } as const
        assert.strictEqual(yield* move(topUp), "new")
        assert.strictEqual(yield* move(topUp), "known")
        assert.strictEqual(yield* move({ ...topUp, amount: 1n }), "other")
        for (let n = 0; n < 2; n++) yield* second
        assert.deepInclude(yield* mode, { withdrawals: "OPEN", difference: null })
      }).pipe(Effect.provide(VenueModeActions.layer))
  )
})
