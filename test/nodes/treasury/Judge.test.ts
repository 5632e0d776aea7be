/** The judge of treasury kills finds what is made to be found, and nothing where all is well. */
import { assert, it } from "vitest"
import * as Judge from "./Judge.ts"

const usd = (whole: number): string => String(whole * 1_000_000)

/** One user was sent 50, and has had 20 and a fee of 1 out of it paid to an address of theirs. */
const given: Judge.Given = {
  userIds: ["ann"],
  before: [100_000_000n],
  work: {
    addresses: [{ user: 0, rail: "TRON", to: "Tann" }],
    told: [{ rail: "TRON", txHash: "in" }],
    asked: [
      {
        user: 0,
        method: "ARBITRUM_ONE",
        micros: 21_000_000n,
        destination: "0xout",
        key: "k",
        isFlagged: false,
        fate: null,
        outcome: "accepted",
        answer: undefined
      }
    ]
  }
}
const payment = { to: "0xOut", amount: usd(20), fate: "pay" }
const transfer = { txHash: "in", to: "Tann", amount: usd(50), isGone: false }
const deposit = { network: "TRON", tx_hash: "in", state: "CREDITED", gone: false }
const withdrawal = {
  user_id: "ann",
  method: "ARBITRUM_ONE",
  amount: usd(21),
  destination: "0xout",
  state: "SETTLED",
  attempts: "1"
}
const entries: ReadonlyArray<readonly [string, bigint]> = [
  ["ann", 129_000_000n],
  ["venue/operator", -100_000_000n],
  ["external/TRON", -50_000_000n],
  ["external/ARBITRUM_ONE", 20_000_000n],
  ["venue/fees/withdrawal", 1_000_000n]
]
const rails = (changed: {
  readonly payments?: ReadonlyArray<typeof payment>
  readonly transfers?: ReadonlyArray<typeof transfer>
}) =>
  [
    { rail: "ARBITRUM_ONE", transfers: [], payments: changed.payments ?? [payment] },
    { rail: "TRON", transfers: changed.transfers ?? [transfer], payments: [] }
  ] as const

const good: Judge.Evidence = {
  rails: rails({}),
  deposits: [deposit],
  withdrawals: [withdrawal],
  unevenTransactions: 0,
  audited: null,
  entries: new Map(entries),
  balances: [129_000_000n]
}

it("finds nothing where all is well", () => assert.deepStrictEqual(Judge.judge(given, good), []))

const spoilt: ReadonlyArray<readonly [what: string, fault: Judge.Fault, changed: Partial<Judge.Evidence>]> = [
  ["a payment that is made twice", "doubled", { rails: rails({ payments: [payment, payment] }) }],
  ["one that is settled and was not paid", "lost", { rails: rails({ payments: [] }) }],
  ["one that has failed and was paid", "doubled", { withdrawals: [{ ...withdrawal, state: "FAILED" }] }],
  ["one that was answered and is not there", "lost", { withdrawals: [] }],
  ["one that is there twice", "doubled", { withdrawals: [withdrawal, withdrawal] }],
  ["one that nobody asked for", "wrong", { withdrawals: [withdrawal, { ...withdrawal, amount: "7" }] }],
  ["one that has come to no end", "stuck", { withdrawals: [{ ...withdrawal, state: "SUBMITTED" }] }],
  ["a payment of nothing", "doubled", { rails: rails({ payments: [payment, { ...payment, amount: "7" }] }) }],
  ["a deposit that is not known", "lost", { deposits: [] }],
  ["a deposit that was taken back while its money is there", "lost", { deposits: [{ ...deposit, state: "REVERSED" }] }],
  ["a deposit that waits", "stuck", { deposits: [{ ...deposit, state: "CONFIRMED" }] }],
  ["a deposit that is credited and gone", "stuck", { rails: rails({ transfers: [{ ...transfer, isGone: true }] }) }],
  ["a credit too many", "doubled", { balances: [179_000_000n] }],
  ["a credit too few", "lost", { balances: [79_000_000n] }],
  ["entries that are not the balance", "wrong", { entries: new Map([...entries, ["ann", 128_000_000n]]) }],
  ["a transaction that does not sum to zero", "wrong", { unevenTransactions: 1 }],
  ["what the auditor found", "wrong", { audited: "I10" }],
  ["what is in flight for ever", "stuck", { entries: new Map([...entries, ["treasury/in-flight/TRON", 1n]]) }],
  ["a rail that holds something else", "wrong", { entries: new Map([...entries, ["external/TRON", 0n]]) }]
]
for (const [what, fault, changed] of spoilt)
  it(`finds ${what}`, () => {
    const found = Judge.judge(given, { ...good, ...changed }).map((one) => one.fault)
    assert.include(found, fault)
  })
