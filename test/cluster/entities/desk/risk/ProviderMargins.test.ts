/** Tests of the margin that a liquidity provider pledges to markets with takeovers. */
import * as ProviderMargins from "@venue/cluster/entities/desk/risk/ProviderMargins"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import * as Account from "@venue/ledger/Account"
import { assert, test } from "@effect/vitest"
import { aapl, gold } from "../../../../ledger/Scene.ts"

const nvda = MarketSymbol.make("NVDA-USD")

/** Account with 900 available that is a provider in gold and AAPL. */
const provider = () => {
  const account = Account.make(primaryAccountOf(UserId.make("alice")))
  Account.deposit(account, 900n)
  for (const symbol of [aapl, gold]) account.providerLimits.set(symbol, 1)
  return account
}

test("pledges a provider's whole available margin to a single market, or half of it to each of two markets", () => {
  const [account, margins] = [provider(), ProviderMargins.make()]
  margins.opened(aapl)
  margins.opened(nvda)
  assert.strictEqual(margins.pledge(account, aapl), 900n)
  const [other, both] = [provider(), ProviderMargins.make()]
  for (const symbol of [aapl, gold]) both.opened(symbol)
  assert.deepEqual([both.pledge(other, gold), both.pledge(other, aapl), both.pledge(other, gold)], [450n, 450n, 450n])
})

test("does not pledge margin to a second market while the margin is pledged to another market's takeovers", () => {
  const [account, margins] = [provider(), ProviderMargins.make()]
  margins.opened(aapl)
  assert.strictEqual(margins.pledge(account, aapl), 900n)
  margins.opened(gold)
  assert.strictEqual(margins.pledge(account, gold), 0n)
  // A fall of the mark reduces the provider's equity too.
  Account.deposit(account, -100n)
  assert.strictEqual(margins.pledge(account, gold), 0n)
  margins.ended(aapl)
  assert.strictEqual(margins.pledge(account, gold), 800n)
})
