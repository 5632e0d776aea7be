import {
  amountRefusal,
  holdReasons,
  stateOfAccepted,
  withdrawalEdges,
  type WithdrawalState,
  withdrawalTerms
} from "@venue/domain/Withdrawal"
import { depositEdges, type DepositState, minimumDeposit } from "@venue/domain/Deposit"
import { railOf, WithdrawalMethod } from "@venue/domain/Rail"
import { assert, test } from "@effect/vitest"

const usd = (whole: number) => BigInt(whole * 1_000_000)

test("rule 18: each method has its minimum, and what arrives is above nothing", () => {
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

test("rule 18: more than 50,000, more than 100,000 in a day, or what is known of user and destination holds it", () => {
  assert.deepStrictEqual(holdReasons(usd(50_000), usd(100_000), []), [])
  assert.deepStrictEqual(holdReasons(usd(50_000) + 1n, usd(50_000) + 1n, []), ["amount"])
  assert.deepStrictEqual(holdReasons(usd(1), usd(100_000) + 1n, []), ["day-total"])
  assert.deepStrictEqual(holdReasons(usd(60_000), usd(120_000), ["new-destination", "flagged-user"]), [
    "amount",
    "day-total",
    "new-destination",
    "flagged-user"
  ])
  assert.strictEqual(stateOfAccepted({ reasons: [] }), "QUEUED")
  assert.strictEqual(stateOfAccepted({ reasons: ["amount"] }), "HELD_FOR_REVIEW")
})

test("I15: a withdrawal comes from ACCEPTED to every state, and to none again", () => {
  const walks = (from: WithdrawalState, seen: ReadonlyArray<WithdrawalState>): ReadonlyArray<WithdrawalState> => {
    assert.notInclude(seen, from)
    const next = withdrawalEdges.filter(([at]) => at === from).map(([, to]) => to)
    return [from, ...next.flatMap((to) => walks(to, [...seen, from]))]
  }
  const all = [...new Set(walks("ACCEPTED", []))]
  assert.lengthOf(all, 7)
  const ends = all.filter((state) => withdrawalEdges.every(([from]) => from !== state))
  assert.sameMembers(ends, ["SETTLED", "REJECTED", "FAILED"])
})

test("I16: once it is credited a deposit can only be reversed, and after that nothing", () => {
  const after = (state: DepositState) => depositEdges.filter(([from]) => from === state).map(([, to]) => to)
  assert.deepStrictEqual(after("CREDITED"), ["REVERSED"])
  assert.deepStrictEqual(after("REVERSED"), [])
  assert.deepStrictEqual(
    depositEdges.filter(([, to]) => to === "CREDITED").map(([from]) => from),
    ["CONFIRMED"]
  )
})

test("a payment method is of one rail, and each rail has a least deposit", () => {
  assert.deepStrictEqual(
    (["ARBITRUM_ONE", "TRON", "ach_push", "wire", "fednow"] as const).map((method) => minimumDeposit[railOf(method)]),
    [usd(5), usd(5), usd(10), usd(10), usd(10)]
  )
})
