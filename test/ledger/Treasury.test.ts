/**
 * Tests of one trader's deposits and withdrawals. Each counts once, and withdrawals are limited to the withdrawable
 * balance.
 */
import { primaryAccountOf } from "@venue/domain/AccountId"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { LedgerCommand, TraderEvent } from "@venue/domain/Trader"
import type { WithdrawalMethod } from "@venue/domain/Rail"
import { type HoldReason, type Withdraw, withdrawalDayMillis, withdrawalTerms } from "@venue/domain/Withdrawal"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { pack, unpack } from "msgpackr"
import { aapl, alice, instruments, make, usd } from "./Scene.ts"

const primary = primaryAccountOf(alice)

const deposit = (depositId: string, amount: bigint) => ({ _tag: "Deposit", depositId, rail: "TRON", amount }) as const
const withdraw = (
  withdrawalId: string,
  amount: bigint,
  method: WithdrawalMethod = "ARBITRUM_ONE",
  reasons: ReadonlyArray<HoldReason> = []
): Withdraw => ({ _tag: "Withdraw", withdrawalId, method, amount, destination: "0xabc", reasons })
const failed = { _tag: "TransferRejected" } as const
const back = (withdrawalId: string, ending: "REJECTED" | "FAILED" = "FAILED") =>
  ({ _tag: "ReturnWithdrawal", withdrawalId, ending, reason: failed }) as const

const empty = () => Ledger.make(alice, instruments, new Map(), OpenInterest.none(), Ledger.defaults)

/** Decides and applies a command; returns its events, or the name of the refusal. */
const ask = (trader: Ledger.Trader, command: LedgerCommand, atMillis = 1) => {
  const decided: Result.Result<ReadonlyArray<TraderEvent>, { readonly _tag: string }> = Ledger.decide(
    trader,
    command,
    atMillis
  )
  if (Result.isFailure(decided)) return decided.failure._tag
  for (const event of decided.success) Ledger.apply(trader, event)
  return decided.success
}
const has = (trader: Ledger.Trader) => Ledger.balance(trader, primary)!.deposit

const reasonsOf = (events: ReturnType<typeof ask>) => {
  const accepted = typeof events === "string" ? undefined : events[0]
  return accepted?._tag === "WithdrawalAccepted" ? accepted.reasons : events
}

describe("a trader's treasury", () => {
  it("I16: counts a deposit once, even if a repeat has different values", () => {
    const trader = empty()
    const { _tag, ...said } = deposit("TRON/a/0", usd(7))
    assert.deepStrictEqual(ask(trader, deposit("TRON/a/0", usd(7)), 5), [{ _tag: "Deposited", ...said, atMillis: 5 }])
    assert.deepStrictEqual(ask(trader, deposit("TRON/a/0", usd(9))), [])
    assert.strictEqual(has(trader), usd(7))
    assert.strictEqual(ask(trader, deposit("TRON/a/1", 0n)), "InvalidAmount")
    assert.strictEqual(ask(trader, deposit("TRON/a/1", -1n)), "InvalidAmount")
  })

  it("I16: reverses a deposit once and completely, even below zero; the account can then only reduce", () => {
    const scene = make()
    scene.price(aapl, 200)
    scene.ask(deposit("d", usd(100)))
    scene.ask(withdraw("w", usd(60)))
    scene.ask({ _tag: "ReverseDeposit", depositId: "d", reason: "bank-return" })
    scene.ask({ _tag: "ReverseDeposit", depositId: "d", reason: "missing-on-chain" })
    assert.deepInclude(scene.balance(), { deposit: -usd(60), available: -usd(60), withdrawable: 0n })
    assert.strictEqual(scene.placed("BUY", 1, 200).finding, "FAILED_MARGIN_CHECK")
    assert.strictEqual(
      ask(scene.trader, { _tag: "ReverseDeposit", depositId: "other", reason: "bank-return" }),
      "UnknownDeposit"
    )
    assert.deepStrictEqual(ask(scene.trader, deposit("d", usd(100))), [], "it does not come again")
  })

  it("I13: debits a withdrawal's gross amount, including its fee, once", () => {
    const trader = empty()
    ask(trader, deposit("d", usd(1_000)))
    const { _tag, ...said } = withdraw("w", usd(500), "wire")
    assert.deepStrictEqual(ask(trader, withdraw("w", usd(500), "wire"), 8), [
      { _tag: "WithdrawalAccepted", ...said, fee: usd(25), atMillis: 8 }
    ])
    assert.deepStrictEqual(ask(trader, withdraw("w", usd(500), "wire"), 9), [])
    assert.strictEqual(has(trader), usd(500))
    assert.deepStrictEqual(reasonsOf(ask(trader, withdraw("w2", usd(500), "wire"), 9)), [], "two equal ones are two")
    assert.strictEqual(has(trader), 0n)
  })

  it("I11: refuses to withdraw margin or unrealised profit", () => {
    const scene = make()
    scene.ask(deposit("d", usd(1_000)))
    scene.price(aapl, 200)
    scene.hold(10, 190)
    scene.placed("BUY", 1, 200)
    // The balance is 1,000 + 100 of profit - 200 - 20, of which the profit is not withdrawable.
    assert.strictEqual(ask(scene.trader, withdraw("w", usd(780) + 1n)), "InsufficientBalance")
    assert.lengthOf(ask(scene.trader, withdraw("w", usd(780))), 1)
    assert.strictEqual(scene.balance().withdrawable, 0n)
  })

  it("rule 18: refuses an amount below the minimum or not above the fee, and stores nothing", () => {
    const trader = empty()
    ask(trader, deposit("d", usd(1_000)))
    assert.strictEqual(ask(trader, withdraw("w", usd(5) - 1n)), "BelowMinimum")
    assert.strictEqual(ask(trader, withdraw("w", usd(20), "wire")), "NotAboveFee")
    assert.lengthOf(ask(trader, withdraw("w", usd(5))), 1)
  })

  it("I14: refunds a withdrawal's gross amount once", () => {
    const trader = empty()
    ask(trader, deposit("d", usd(100)))
    ask(trader, withdraw("w", usd(40)))
    assert.strictEqual(ask(trader, back("v")), "UnknownWithdrawal")
    assert.deepStrictEqual(ask(trader, back("w"), 3), [
      {
        _tag: "WithdrawalReturned",
        withdrawalId: "w",
        ending: "FAILED",
        reason: failed,
        method: "ARBITRUM_ONE",
        amount: usd(40),
        atMillis: 3
      }
    ])
    assert.deepStrictEqual(ask(trader, back("w", "REJECTED")), [])
    assert.strictEqual(has(trader), usd(100))
    assert.deepStrictEqual(ask(trader, withdraw("w", usd(40))), [], "a late repeat does not debit again")
  })

  it("rule 18: counts the withdrawals of 24 hours towards the daily limit, except returned ones", () => {
    const trader = empty()
    ask(trader, deposit("d", usd(1_000_000)))
    const hour = 3_600_000
    assert.deepStrictEqual(reasonsOf(ask(trader, withdraw("a", usd(50_000)), hour)), [])
    assert.deepStrictEqual(reasonsOf(ask(trader, withdraw("b", usd(50_000)), 2 * hour)), [])
    assert.deepStrictEqual(reasonsOf(ask(trader, withdraw("c", usd(5)), 3 * hour)), ["day-total"])
    ask(trader, back("b"), 4 * hour)
    assert.deepStrictEqual(reasonsOf(ask(trader, withdraw("e", usd(49_995)), 4 * hour)), [])
    assert.deepStrictEqual(reasonsOf(ask(trader, withdraw("f", usd(5)), hour + withdrawalDayMillis - 1)), ["day-total"])
    assert.deepStrictEqual(reasonsOf(ask(trader, withdraw("g", usd(5)), hour + withdrawalDayMillis)), [])
    assert.deepStrictEqual(
      reasonsOf(ask(trader, withdraw("h", usd(50_001), "TRON", ["new-destination"]), 9 * withdrawalDayMillis)),
      ["amount", "new-destination"]
    )
  })

  it("I8: executes a withdrawal with an idempotency key once, and refuses another request with that key", () => {
    const trader = empty()
    ask(trader, deposit("d", usd(100)))
    const keyed = { ...withdraw("k", usd(10)), request: { requestId: "k", fingerprint: "10" } }
    assert.lengthOf(ask(trader, keyed), 2)
    assert.strictEqual(ask(trader, keyed), "RequestDone")
    assert.strictEqual(ask(trader, { ...keyed, request: { requestId: "k", fingerprint: "11" } }), "RequestKeyReused")
    assert.strictEqual(has(trader), usd(90))
  })

  it("I6: restores deposits and withdrawals from a snapshot", () => {
    const trader = empty()
    for (const command of story) ask(trader, command)
    const stored = Ledger.snapshot(trader)
    const restored = empty()
    Ledger.restore(restored, unpack(pack(stored)))
    assert.strictEqual(Ledger.hash(restored), Ledger.hash(trader))
    assert.deepStrictEqual(Ledger.snapshot(restored), stored)
    for (const command of story) assert.deepStrictEqual(ask(restored, command), [])
  })

  it("I8, I11, I13, I14, I16: balances match plain sums for any repetition and order of commands", () => {
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 80 }), (steps) => {
        const trader = empty()
        const deposits = new Map<string, { amount: bigint; reversed: boolean }>()
        const withdrawals = new Map<string, { amount: bigint; returned: boolean }>()
        for (const { amount, id, kind } of steps) {
          const before = has(trader)
          const answer = ask(trader, commandOf(kind, id, amount))
          const known = kind === "Deposit" || kind === "ReverseDeposit" ? deposits.get(id) : withdrawals.get(id)
          const isNew =
            kind === "Deposit"
              ? known === undefined
              : kind === "Withdraw"
                ? known === undefined && amount <= before
                : known !== undefined && !("reversed" in known ? known.reversed : known.returned)
          assert.strictEqual(typeof answer === "string" ? 0 : answer.length, isNew ? 1 : 0, `${kind} ${id}`)
          if (!isNew) continue
          if (kind === "Deposit") deposits.set(id, { amount, reversed: false })
          if (kind === "ReverseDeposit") deposits.get(id)!.reversed = true
          if (kind === "ReturnWithdrawal") withdrawals.get(id)!.returned = true
          if (kind !== "Withdraw") continue
          withdrawals.set(id, { amount, returned: false })
          assert.isTrue(Ledger.balance(trader, primary)!.available >= 0n, "I11")
        }
        const came = [...deposits.values()].reduce((sum, one) => sum + (one.reversed ? 0n : one.amount), 0n)
        const left = [...withdrawals.values()].reduce((sum, one) => sum + (one.returned ? 0n : one.amount), 0n)
        assert.strictEqual(has(trader), came - left)
      })
    )
  })

  it("charges the fee of each withdrawal method", () => {
    for (const method of ["ARBITRUM_ONE", "TRON", "ach_push", "wire"] as const) {
      const trader = empty()
      ask(trader, deposit("d", usd(100)))
      const [accepted] = ask(trader, withdraw("w", usd(100), method)) as ReadonlyArray<TraderEvent>
      assert.deepInclude(accepted, { amount: usd(100), fee: withdrawalTerms[method].fee })
      assert.strictEqual(has(trader), 0n)
    }
  })
})

const story: ReadonlyArray<LedgerCommand> = [
  deposit("TRON/a/0", usd(700)),
  deposit("TRON/a/1", usd(50)),
  { _tag: "ReverseDeposit", depositId: "TRON/a/1", reason: "missing-on-chain" },
  withdraw("w1", usd(100)),
  withdraw("w2", usd(30), "TRON", ["flagged-user"]),
  back("w2", "REJECTED")
]

const commandOf = (kind: LedgerCommand["_tag"], id: string, amount: bigint): LedgerCommand => {
  switch (kind) {
    case "Deposit":
      return deposit(id, amount)
    case "ReverseDeposit":
      return { _tag: "ReverseDeposit", depositId: id, reason: "bank-return" }
    case "Withdraw":
      return withdraw(id, amount)
    default:
      return back(id)
  }
}

const asked = fc.record({
  kind: fc.constantFrom(
    "Deposit" as const,
    "ReverseDeposit" as const,
    "Withdraw" as const,
    "ReturnWithdrawal" as const
  ),
  id: fc.constantFrom("a", "b", "c", "d"),
  amount: fc.integer({ min: 5, max: 60 }).map(usd)
})
