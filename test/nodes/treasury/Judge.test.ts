/** The checker of `npm run treasury-kills`, on correct and on corrupted evidence. */
import { assert, it } from "vitest"
import * as Judge from "./Judge.ts"

const usd = (whole: number): string => String(whole * 1_000_000)

/** Correct evidence: one user received 50 and withdrew 20 with a fee of 1. */
const given: Judge.Given = {
  userIds: ["ann"],
  before: [100_000_000n],
  work: {
    addresses: [{ user: 0, rail: "TRON", to: "Tann" }],
    transfers: [{ rail: "TRON", txHash: "in" }],
    attempts: [
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

it("reports no fault if the evidence is correct", () => assert.deepStrictEqual(Judge.judge(given, good), []))

const spoilt: ReadonlyArray<readonly [what: string, fault: Judge.Fault, changed: Partial<Judge.Evidence>]> = [
  ["a payment that was made twice", "doubled", { rails: rails({ payments: [payment, payment] }) }],
  ["a settled withdrawal without a payment", "lost", { rails: rails({ payments: [] }) }],
  ["a failed withdrawal with a payment", "doubled", { withdrawals: [{ ...withdrawal, state: "FAILED" }] }],
  ["an accepted withdrawal without a row", "lost", { withdrawals: [] }],
  ["a withdrawal with two rows", "doubled", { withdrawals: [withdrawal, withdrawal] }],
  ["a withdrawal that no client requested", "wrong", { withdrawals: [withdrawal, { ...withdrawal, amount: "7" }] }],
  ["a withdrawal that never ends", "stuck", { withdrawals: [{ ...withdrawal, state: "SUBMITTED" }] }],
  [
    "a payment that no client requested",
    "doubled",
    { rails: rails({ payments: [payment, { ...payment, amount: "7" }] }) }
  ],
  ["a transfer without a deposit", "lost", { deposits: [] }],
  [
    "a reversed deposit whose transfer is still on the chain",
    "lost",
    { deposits: [{ ...deposit, state: "REVERSED" }] }
  ],
  ["a deposit that is never credited", "stuck", { deposits: [{ ...deposit, state: "CONFIRMED" }] }],
  [
    "a credited deposit whose transfer was reversed",
    "stuck",
    { rails: rails({ transfers: [{ ...transfer, isGone: true }] }) }
  ],
  ["a balance that is too high", "doubled", { balances: [179_000_000n] }],
  ["a balance that is too low", "lost", { balances: [79_000_000n] }],
  ["entries that differ from the balance", "wrong", { entries: new Map([...entries, ["ann", 128_000_000n]]) }],
  ["a transaction that does not sum to zero", "wrong", { unevenTransactions: 1 }],
  ["a fault of the auditor", "wrong", { audited: "I10" }],
  ["an amount that stays in flight", "stuck", { entries: new Map([...entries, ["treasury/in-flight/TRON", 1n]]) }],
  [
    "a rail that holds another amount than the books",
    "wrong",
    { entries: new Map([...entries, ["external/TRON", 0n]]) }
  ]
]
for (const [what, fault, changed] of spoilt)
  it(`detects ${what}`, () => {
    const faults = Judge.judge(given, { ...good, ...changed }).map(({ fault }) => fault)
    assert.include(faults, fault)
  })
