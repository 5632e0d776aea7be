/** Tests of requests with an idempotency key: executed once, and remembered for a limited time. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { requestKeptMillis, requestsKept } from "@venue/domain/KeyedRequest"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { LedgerCommand, LedgerCommandOf, LedgerRefusal, TraderEvent } from "@venue/domain/Trader"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { alice, instruments, usd } from "./Scene.ts"

const primary = primaryAccountOf(alice)
const sub = AccountId.make("sub")

const make = () => Ledger.make(alice, instruments, new Map(), OpenInterest.none(), Ledger.defaults)

/** Decides and applies a command; returns its events, or the name of the refusal. */
const ask = <Tag extends LedgerCommand["_tag"]>(
  trader: Ledger.Trader,
  command: LedgerCommandOf<Tag>,
  atMillis: number
) => {
  const decided: Result.Result<ReadonlyArray<TraderEvent>, LedgerRefusal> = Ledger.decide(trader, command, atMillis)
  if (Result.isFailure(decided)) return decided.failure._tag
  for (const event of decided.success) Ledger.apply(trader, event)
  return decided.success.map(({ _tag }) => _tag).join()
}

const credit = (key: string, amount: bigint) =>
  ({
    _tag: "Credit",
    creditId: key,
    accountId: primary,
    amount,
    reason: "",
    request: { requestId: key, fingerprint: String(amount) }
  }) as const

const transfer = (key: string, amount: bigint) =>
  ({
    _tag: "Transfer",
    transferId: key,
    fromAccountId: primary,
    toAccountId: sub,
    amount,
    request: { requestId: key, fingerprint: String(amount) }
  }) as const

/** A trader with a subaccount and 1,000 USD. */
const funded = () => {
  const trader = make()
  ask(trader, { _tag: "OpenAccount", accountId: sub }, 0)
  ask(trader, { _tag: "Credit", creditId: "first", accountId: primary, amount: usd(1_000), reason: "" }, 0)
  return trader
}
const has = (trader: Ledger.Trader, accountId: AccountId) => Ledger.balance(trader, accountId)!.deposit

describe("requests with an idempotency key", () => {
  it("I8: returns RequestDone for a repeated request, and rejects a different request with the same idempotency key", () => {
    const trader = funded()
    assert.strictEqual(ask(trader, transfer("a", usd(100)), 1), "Transferred,RequestKept")
    assert.strictEqual(ask(trader, transfer("b", usd(5)), 2), "Transferred,RequestKept")
    assert.strictEqual(ask(trader, transfer("a", usd(100)), 3), "RequestDone")
    assert.strictEqual(ask(trader, transfer("a", usd(101)), 4), "RequestKeyReused")
    assert.deepStrictEqual([has(trader, primary), has(trader, sub)], [usd(895), usd(105)])
  })

  it("opens an account once and applies a credit once if the request is repeated", () => {
    const trader = make()
    const open = {
      _tag: "OpenAccount",
      accountId: AccountId.make("k"),
      request: { requestId: "k", fingerprint: "" }
    } as const
    assert.strictEqual(ask(trader, open, 1), "AccountOpened,RequestKept")
    assert.strictEqual(ask(trader, open, 2), "RequestDone")
    assert.strictEqual(ask(trader, credit("c", usd(3)), 3), "Credited,RequestKept")
    assert.strictEqual(ask(trader, credit("c", usd(3)), 4), "RequestDone")
    assert.strictEqual(has(trader, primary), usd(3))
  })

  it("does not store a refusal, so that the request can be retried", () => {
    const trader = make()
    ask(trader, { _tag: "OpenAccount", accountId: sub }, 0)
    assert.strictEqual(ask(trader, transfer("a", usd(100)), 1), "InsufficientBalance")
    ask(trader, { _tag: "Credit", creditId: "first", accountId: primary, amount: usd(100), reason: "" }, 2)
    assert.strictEqual(ask(trader, transfer("a", usd(100)), 3), "Transferred,RequestKept")
  })

  it("I48: above 4,096 keys, forgets keys older than a day, so that a transfer's key can be used again", () => {
    const trader = funded()
    ask(trader, transfer("old", 1n), 0)
    ask(trader, credit("older", 1n), 0)
    const day = requestKeptMillis
    for (let count = 2; count < requestsKept; count++) ask(trader, transfer(`t${count}`, 1n), day)
    assert.strictEqual(ask(trader, transfer("old", 1n), 2 * day), "RequestDone")
    ask(trader, transfer("one more", 1n), day - 1)
    assert.strictEqual(trader.requests.size, requestsKept + 1)
    ask(trader, transfer("the last", 1n), day)
    assert.strictEqual(trader.requests.size, requestsKept)
    assert.strictEqual(ask(trader, credit("older", 1n), 2 * day), "RequestKeyReused")
    assert.strictEqual(ask(trader, transfer("old", 1n), 2 * day), "Transferred,RequestKept")
  })

  it("forgets transfer ids after a day of event time, and never forgets credit ids", () => {
    const trader = funded()
    const plain = (transferId: string) =>
      ({ _tag: "Transfer", transferId, fromAccountId: primary, toAccountId: sub, amount: 1n }) as const
    ask(trader, plain("a"), 1)
    assert.strictEqual(ask(trader, plain("a"), 2), "")
    ask(trader, plain("b"), requestKeptMillis)
    assert.strictEqual(ask(trader, plain("a"), requestKeptMillis), "")
    ask(trader, plain("c"), requestKeptMillis + 1)
    assert.deepStrictEqual([...trader.transferIds.keys()], ["b", "c"])
    assert.strictEqual(ask(trader, { ...credit("first", usd(9)), request: undefined as never }, 9e12), "")
  })

  it("I6: restores idempotency keys from a snapshot", () => {
    const trader = funded()
    ask(trader, transfer("a", usd(100)), 1)
    const stored = Ledger.snapshot(trader)
    const restored = make()
    Ledger.restore(restored, stored)
    assert.strictEqual(Ledger.hash(restored), Ledger.hash(trader))
    assert.strictEqual(ask(restored, transfer("a", usd(100)), 2), "RequestDone")
  })

  it("I17, I20: gives the same result as one request per key for any sequence of requests, and creates no money", () => {
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 60 }), (requests) => {
        const trader = funded()
        /** Every request by key, without expiry. */
        const done = new Map<string, bigint>()
        let moved = 0n
        requests.forEach(({ amount, key }, at) => {
          const known = done.get(key)
          const wanted =
            known !== undefined
              ? known === amount
                ? "RequestDone"
                : "RequestKeyReused"
              : amount > usd(1_000) - moved
                ? "InsufficientBalance"
                : "Transferred,RequestKept"
          assert.strictEqual(ask(trader, transfer(key, amount), at), wanted)
          if (wanted !== "Transferred,RequestKept") return
          done.set(key, amount)
          moved += amount
        })
        assert.deepStrictEqual([has(trader, primary), has(trader, sub)], [usd(1_000) - moved, moved])
      })
    )
  })
})

const asked = fc.record({
  key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  amount: fc.integer({ min: 1, max: 6 }).map((hundreds) => usd(100 * hundreds))
})
