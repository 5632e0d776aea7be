/** Treasury steps of a random life: deposits, withdrawals, reversals and returns, each of them repeated. */
import type { AccountId } from "@venue/domain/AccountId"
import { withdrawalTerms } from "@venue/domain/Withdrawal"
import { assert } from "@effect/vitest"
import { Result } from "effect"
import type { Scene } from "./Scene.ts"
import type { Step } from "./Steps.ts"
import * as Twin from "./Twin.ts"

interface Moved {
  readonly amount: bigint
  isUndone: boolean
}

export const make = (scene: Scene, twin: Twin.Twin, primary: AccountId) => {
  const deposits: Array<Moved> = []
  const withdrawals: Array<Moved> = []
  const booked = (amount: bigint) => twin.deposits.set(primary, twin.deposits.get(primary)! + amount)

  /** Sends the request twice, and expects it to count once. */
  const once = (command: Parameters<Scene["ask"]>[0]) => {
    const first = Result.getOrThrow(scene.ask(command))
    assert.deepStrictEqual(Result.getOrThrow(scene.ask(command)), [], "a repeat changes nothing")
    return first.length === 1
  }

  const deposit = ({ pick, size }: Step) => {
    const amount = BigInt(size * (pick + 1)) * 70_003n
    assert.isTrue(once({ _tag: "Deposit", depositId: `deposit-${deposits.length}`, rail: "TRON", amount }), "I16")
    deposits.push({ amount, isUndone: false })
    booked(amount)
  }

  const withdraw = ({ pick, size }: Step) => {
    const amount = BigInt(size * pick) * 60_001n
    const { withdrawable } = Twin.balance(twin, primary)
    const command = {
      _tag: "Withdraw",
      withdrawalId: `withdrawal-${withdrawals.length}`,
      method: "ARBITRUM_ONE",
      amount,
      destination: "0xabc",
      reasons: []
    } as const
    const allowed = amount >= withdrawalTerms.ARBITRUM_ONE.minimum && amount <= withdrawable
    if (!allowed) return assert.isTrue(Result.isFailure(scene.ask(command)), "I11: withdrawal")
    assert.isTrue(once(command), "I13")
    withdrawals.push({ amount, isUndone: false })
    booked(-amount)
    assert.isTrue(Twin.balance(twin, primary).available >= 0n, "I11: what left was there")
  }

  /** Reverses a deposit or returns a withdrawal, possibly for the second time. */
  const undo = ({ buy, pick }: Step) => {
    const all = buy ? deposits : withdrawals
    if (all.length === 0) return
    const at = pick % all.length
    const { amount, isUndone } = all[at]!
    const isDone = once(
      buy
        ? { _tag: "ReverseDeposit", depositId: `deposit-${at}`, reason: "bank-return" }
        : {
            _tag: "ReturnWithdrawal",
            withdrawalId: `withdrawal-${at}`,
            ending: "FAILED",
            reason: { _tag: "PaymentCancelled" }
          }
    )
    assert.strictEqual(isDone, !isUndone, buy ? "I16: reversed once" : "I14: returned once")
    if (isUndone) return
    all[at]!.isUndone = true
    booked(buy ? -amount : amount)
  }

  const kinds = { deposit, withdraw, undo }
  return { take: (step: Step, kind: keyof typeof kinds) => kinds[kind](step) }
}
