import { minimumDeposit } from "@venue/domain/Deposit"
import { railOf, WithdrawalMethod } from "@venue/domain/Rail"
import { amountRefusal, holdReasons, withdrawalTerms } from "@venue/domain/Withdrawal"
import { assert, test } from "@effect/vitest"

const usd = (whole: number) => BigInt(whole * 1_000_000)

test("rule 18: refuses a withdrawal below its method's minimum, or not above its method's fee", () => {
  const least = { ARBITRUM_ONE: usd(5), TRON: usd(10), ach_push: usd(10), wire: usd(25) + 1n }
  for (const method of WithdrawalMethod.literals) {
    assert.isUndefined(amountRefusal(method, least[method]), method)
    assert.isDefined(amountRefusal(method, least[method] - 1n), method)
  }
  assert.deepInclude(amountRefusal("TRON", usd(10) - 1n), { _tag: "BelowMinimum", minimum: usd(10) })
  assert.deepInclude(amountRefusal("wire", usd(25)), { _tag: "NotAboveFee", fee: usd(25) })
  assert.deepInclude(amountRefusal("wire", usd(9)), { _tag: "BelowMinimum", minimum: usd(10) })
  for (const amount of [0n, -usd(500)])
    assert.deepInclude(amountRefusal("ARBITRUM_ONE", amount), { _tag: "BelowMinimum" })
  const net = (["ARBITRUM_ONE", "wire"] as const).map((method) => withdrawalTerms[method].fee)
  assert.deepStrictEqual([usd(1_000) - net[0]!, usd(500) - net[1]!], [usd(999), usd(475)])
})

test("rule 18: holds a withdrawal above 50,000, and withdrawals of more than 100,000 in total in a day", () => {
  assert.deepStrictEqual(holdReasons(usd(50_000), usd(100_000), []), [])
  assert.deepStrictEqual(holdReasons(usd(50_000) + 1n, usd(50_000) + 1n, []), ["amount"])
  assert.deepStrictEqual(holdReasons(usd(1), usd(100_000) + 1n, []), ["day-total"])
  assert.deepStrictEqual(holdReasons(usd(60_000), usd(120_000), ["new-destination", "flagged-user"]), [
    "amount",
    "day-total",
    "new-destination",
    "flagged-user"
  ])
})

test("assigns every payment method to one payment rail, and gives every rail a minimum deposit", () => {
  assert.deepStrictEqual(
    (["ARBITRUM_ONE", "TRON", "ach_push", "wire", "fednow"] as const).map((method) => minimumDeposit[railOf(method)]),
    [usd(5), usd(5), usd(10), usd(10), usd(10)]
  )
})
