/** Amounts that enter and leave accounts in a trader's own journal. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { TraderEvent } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { assert, it } from "@effect/vitest"
import * as TraderFold from "../../../apps/auditor/TraderFold.ts"

it("I10: records every kind of incoming and outgoing money on the account that it concerns", () => {
  const userId = UserId.make("user")
  const other = AccountId.make("other")
  const primary = primaryAccountOf(userId)
  const atMillis = 0
  const rail = "BANK" as const
  const amount = 5n
  const events: ReadonlyArray<TraderEvent> = [
    { _tag: "Credited", creditId: "1", accountId: primary, amount: 100n, reason: "", atMillis },
    { _tag: "Transferred", transferId: "1", fromAccountId: primary, toAccountId: other, amount: 30n, atMillis },
    { _tag: "ReferralsCredited", day: 1, amount: 7n, atMillis },
    { _tag: "Deposited", depositId: "1", rail, amount, atMillis },
    { _tag: "DepositReversed", depositId: "1", rail, amount, reason: "bank-return", atMillis },
    {
      _tag: "WithdrawalAccepted",
      withdrawalId: "1",
      method: "wire",
      amount: 26n,
      fee: 25n,
      destination: "",
      reasons: [],
      atMillis
    },
    {
      _tag: "WithdrawalReturned",
      withdrawalId: "1",
      method: "wire",
      amount: 26n,
      ending: "FAILED",
      reason: { _tag: "PaymentCancelled" },
      atMillis
    }
  ]
  const fold = TraderFold.make(userId)
  const moved: Array<string> = []
  events.forEach((event, place) =>
    TraderFold.take(fold, [event], place + 1, (account, much) => moved.push(`${account} ${much}`))
  )
  assert.deepStrictEqual(moved, [
    "user 100",
    "user -30",
    "other 30",
    "user 7",
    "user 5",
    "user -5",
    "user -26",
    "user 26"
  ])
  assert.deepStrictEqual(TraderFold.asOf(fold, primary, 7), [70n, 7n])
  assert.deepStrictEqual(TraderFold.asOf(fold, primary, 6), [44n, 7n])
  assert.deepStrictEqual(TraderFold.asOf(fold, other, 1), [0n, 0n])
})
