/** Rows of release 0.1.0 after all migrations: deposits, withdrawals, rails and webhooks. */
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { RailHoldings } from "@venue/storage/treasury/RailHoldings"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { SimulatedStates } from "@venue/storage/treasury/SimulatedStates"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Webhooks } from "@venue/storage/treasury/Webhooks"
import { WithdrawalDecisions } from "@venue/storage/treasury/WithdrawalDecisions"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { assert, expect, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { alice, bob } from "./RestoredRows.ts"
import * as RestoredRows from "./RestoredRows.ts"

const page = { limit: 10, offset: 0 }
const network = "ARBITRUM_ONE"
const depositAddress = "0x3316a746F188497057B48a505eCd5e9C1B6421F2"
const message = "R9EEHSM35S8G"
const bankAccountId = "45f4764e-713c-42e1-8b0c-d7fdb38ae6ce"
const withdrawalId = "ce2fb7f1-75a5-4318-9e0c-fdea352a39c0"

layer(RestoredRows.layer)("treasury rows of release 0.1.0", (it) => {
  it.effect("reads the deposits, deposit steps, deposit addresses and deposit messages that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      const { ofUser, steps } = yield* Deposits
      const deposits = yield* ofUser(alice, page)
      const credited = { state: "CREDITED", step: 3, version: 5, isFinal: true, isReturned: false, userId: alice }
      expect(deposits).toMatchObject([
        { ...credited, rail: "BANK", method: "wire", address: message, amount: 500_000_000n, blockNumber: null },
        { ...credited, rail: network, address: depositAddress, amount: 250_000_000n, blockNumber: 46 }
      ])
      for (const { depositId, method } of deposits) {
        expect(yield* steps(depositId)).toMatchObject([
          { step: 1, toState: "DETECTED" },
          { step: 2, toState: "CONFIRMED" },
          { step: 3, toState: "CREDITED", actor: method === "wire" ? "rail/BANK" : `rail/${network}` }
        ])
      }
      expect(yield* (yield* DepositAddresses).owned(network, [depositAddress])).toMatchObject([
        { index: 0, userId: alice, address: depositAddress }
      ])
      expect(Option.getOrThrow(yield* (yield* DepositMessages).find(message))).toMatchObject({
        userId: alice,
        rail: "wire",
        message
      })
    })
  )

  it.effect("reads a withdrawal that release 0.1.0 stored, with its steps, payment and bank account", () =>
    Effect.gen(function* () {
      const { ofUser, payments, steps } = yield* Withdrawals
      const money = { amount: 200_000_000n, fee: 25_000_000n, rail: "BANK", method: "wire", destination: bankAccountId }
      const state = { state: "SETTLED", step: 5, version: 5, sequence: 0, attempts: 1, ending: null }
      expect(yield* ofUser(alice, page)).toMatchObject([
        { withdrawalId, ...money, ...state, reasons: ["unverified-holder"], updatedAtMillis: 1_795_820_599_636 }
      ])
      expect(yield* steps(withdrawalId)).toMatchObject([
        { toState: "ACCEPTED", actor: alice },
        { toState: "HELD_FOR_REVIEW", actor: alice },
        { toState: "QUEUED", actor: "treasurer" },
        { toState: "SUBMITTED", actor: "rail/BANK" },
        { toState: "SETTLED", actor: "rail/BANK" }
      ])
      expect(yield* (yield* WithdrawalDecisions).about(withdrawalId)).toMatchObject([
        { operator: "treasurer", decision: "approve", reason: "fixture" }
      ])
      const [payment, ...others] = yield* payments(withdrawalId)
      assert.isEmpty(others)
      expect(payment).toMatchObject({ attempt: 1, purpose: "pay", expiresAtMillis: null })
      assert.isNotEmpty(Redacted.value(payment!.bytes))

      const accounts = yield* BankAccounts
      const account = Option.getOrThrow(yield* accounts.find(alice, bankAccountId))
      expect(account).toMatchObject({ masked: "****6789", holderKnown: false, removedAtMillis: null })
      const details = Option.getOrThrow(yield* accounts.details(bankAccountId))
      expect(JSON.parse(Redacted.value(details))).toMatchObject({
        first_name: "Alice",
        routing_number: "021000021",
        account_number: "000123456789"
      })
    })
  )

  it.effect("reads the rail cursors, rail holdings and treasury flags that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      expect(yield* (yield* RailStates).find("BANK")).toMatchObject({
        cursor: "1",
        scannedAtMillis: 1_795_820_798_385,
        unavailableSinceMillis: null
      })
      expect(yield* (yield* RailHoldings).newest).toMatchObject([
        { rail: network, number: 12, amount: -19_848_000_000n, block: 335, leftIds: [], waitingIds: [] },
        { rail: "BANK", number: 12, amount: 325_000_000n, position: "entry 1", block: null }
      ])
      expect(yield* (yield* TreasuryFlags).all(10)).toMatchObject([
        { kind: "user", subject: bob, effect: "flagged", reason: "fixture", setBy: "treasurer" }
      ])
      const { change } = yield* SimulatedStates
      const state = yield* change("TRON", (text) => [text, text!])
      expect(JSON.parse(state!)).toMatchObject({ transfers: [], payments: [], nextFate: "pay" })
    })
  )

  it.effect("reads a webhook that release 0.1.0 stored, with its latest delivery attempts", () =>
    Effect.gen(function* () {
      const attempt = { event: "withdrawal.queued", outcome: "FAILED", fault: "the host has no public address" }
      const [webhook, ...others] = yield* (yield* Webhooks).ofUser(alice)
      assert.isEmpty(others)
      expect(webhook).toMatchObject({
        url: "https://example.com/venue",
        disabledAtMillis: null,
        deliveries: [
          { ...attempt, attempt: 3 },
          { ...attempt, attempt: 2 },
          { ...attempt, attempt: 1 }
        ]
      })
      assert.lengthOf(webhook!.events, 9)
    })
  )
})
