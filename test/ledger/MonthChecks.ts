/** Nightly checks of a month's markets and ledgers, and the replay of their records into new state machines. */
import * as Ledger from "@venue/ledger/Ledger"
import * as Liquidation from "@venue/ledger/Liquidation"
import * as Engine from "@venue/matching/Engine"
import { assert } from "@effect/vitest"
import { emptyEngine } from "../matching/twin/Play.ts"
import type { Month } from "./Month.ts"
import * as Twin from "./Twin.ts"

/** Checks that every ledger matches a twin built only from the records, and that no money appears or disappears. */
export const assertNight = (month: Month): void => {
  for (const { engine, follower, symbol } of month.markets) {
    assert.strictEqual(Engine.hash(follower), Engine.hash(engine), `I6: ${symbol}`)
  }
  let [equity, positions] = [0n, 0]
  for (const { trader, twin } of month.traders.values()) {
    for (const accountId of Ledger.accountIds(trader)) {
      const balance = Ledger.balance(trader, accountId)!
      assert.deepStrictEqual(balance, Twin.balance(twin, accountId), `I10: ${accountId}`)
      equity += balance.equity
      const isUsedUp = Liquidation.isInLiquidation(trader.accounts.get(accountId)!)
      assert.strictEqual(isUsedUp, Twin.isInLiquidation(twin, accountId), accountId)
      for (const { quantityLots, symbol } of Ledger.holdings(trader, accountId)) {
        assert.strictEqual(BigInt(quantityLots), Twin.quantity(twin, accountId, symbol))
        positions++
      }
    }
  }
  for (const { engine } of month.markets) {
    const { reserveFund, toppedUp, venueFees } = Engine.totals(engine)
    equity += BigInt(reserveFund + venueFees - toppedUp)
  }
  // The value of each position is rounded down.
  assert.isTrue(equity <= month.credited && equity >= month.credited - BigInt(positions), "I26: money came or went")
}

/** Checks that state machines rebuilt from the records, and one from a snapshot, equal the originals. */
export const assertReplayed = (month: Month): void => {
  const { instruments, markets, openInterest, prices, traders } = month
  for (const { engine, log, stream, symbol } of markets) {
    const replayed = emptyEngine(stream)
    for (const event of log) {
      Engine.apply(replayed, event)
      const { cash, positions, reserveFund } = Engine.totals(replayed)
      if (cash !== 0 || positions !== 0 || reserveFund < 0) assert.fail(`I25 I26: after ${JSON.stringify(event)}`)
    }
    assert.strictEqual(Engine.hash(replayed), Engine.hash(engine), `I6: ${symbol}`)
    const restored = Engine.restore(stream.instrument, stream, Engine.snapshot(engine))
    assert.strictEqual(Engine.hash(restored), Engine.hash(engine), `I6: ${symbol} of a snapshot`)
  }
  for (const [userId, { journal, trader }] of traders) {
    const replayed = Ledger.make(userId, instruments, prices, openInterest, Ledger.defaults)
    for (const event of journal) Ledger.apply(replayed, event)
    assert.strictEqual(Ledger.hash(replayed), Ledger.hash(trader), `I6: ${userId}`)
    for (const accountId of Ledger.accountIds(trader)) {
      for (const { engine, symbol } of markets)
        Ledger.adopt(replayed, symbol, accountId, Engine.view(engine, accountId))
      assert.deepStrictEqual(Ledger.balance(replayed, accountId), Ledger.balance(trader, accountId))
    }
  }
}
