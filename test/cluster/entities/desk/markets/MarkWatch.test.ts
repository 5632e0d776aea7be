/** Tests of the watch that checks a desk's accounts when a mark moves. */
import * as MarkWatch from "@venue/cluster/entities/desk/markets/MarkWatch"
import type { Trader } from "@venue/cluster/entities/desk/traders/Trader"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Priced } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { flat } from "@venue/domain/Position"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { refresh } from "@venue/ledger/Account"
import { isInLiquidation } from "@venue/ledger/Liquidation"
import { assert, test } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { aapl, gold, instruments, pricedAt } from "../../../../ledger/Scene.ts"

const symbols = [aapl, gold]
const basis: Record<string, number> = { [aapl]: 200, [gold]: 3_400 }

interface Held {
  readonly aapl: number
  readonly gold: number
  readonly deposit: number
}

/** Prices that count how often they are read. */
class Prices extends Map<MarketSymbol, Priced> {
  asked = 0
  override get(symbol: MarketSymbol): Priced | undefined {
    this.asked++
    return super.get(symbol)
  }
}

/** Creates a desk whose traders hold these units of each contract, bought at the first price. */
const desk = (all: ReadonlyArray<Held>) => {
  const prices = new Prices()
  const found: Array<string> = []
  const traders = new Map<UserId, Trader>()
  const failed: Array<string> = []
  const watch = MarkWatch.make(
    (userId) => traders.get(userId),
    (trader) => found.push(trader.userId),
    ({ accountId }) => failed.push(accountId)
  )
  const price = (symbol: MarketSymbol, at: number) => {
    prices.set(symbol, pricedAt(symbol, at))
    watch.moved(symbol, Math.round(at * 1e8))
  }
  const come = (name: string, { deposit, ...held }: Held, isLive = () => true) => {
    const userId = UserId.make(name)
    const ledger = Ledger.make(userId, instruments, prices, OpenInterest.none(), Ledger.defaults)
    const accountId = primaryAccountOf(userId)
    const amount = BigInt(deposit) * 1_000_000n
    Ledger.apply(ledger, { _tag: "Credited", creditId: "", accountId, amount, reason: "", atMillis: 0 })
    for (const [symbol, units] of [
      [aapl, held.aapl],
      [gold, held.gold]
    ] as const) {
      const cost = units * basis[symbol]! * 1_000_000
      const position = { ...flat(), quantityLots: units * 1_000, cashFlow: -cost, basis: cost }
      Ledger.adopt(ledger, symbol, accountId, { position, isFrozen: false, orders: [], stops: [] })
    }
    const trader = { userId, ledger, isLive } satisfies Partial<Trader> as unknown as Trader
    traders.set(userId, trader)
    watch.changed(trader)
    return trader
  }
  for (const symbol of symbols) price(symbol, basis[symbol]!)
  all.forEach((held, index) => come(`user-${index}`, held))
  watch.checkChanged()
  return { come, failed, found, price, prices, traders, watch }
}

const isLow = ({ ledger }: Trader): boolean => {
  const account = ledger.accounts.get(primaryAccountOf(ledger.userId))!
  refresh(account, ledger.prices)
  return isInLiquidation(account)
}

const held = FastCheck.record({
  aapl: FastCheck.integer({ min: -50, max: 50 }),
  gold: FastCheck.integer({ min: -5, max: 5 }),
  deposit: FastCheck.integer({ min: 1_200, max: 4_000 })
})
/** Contract and price change in basis points. */
const move = FastCheck.tuple(FastCheck.nat(1), FastCheck.integer({ min: -400, max: 400 }))

test("reports an account at the first mark that puts the account into liquidation, and reports no other account", () => {
  let all = 0
  FastCheck.assert(
    FastCheck.property(
      FastCheck.array(held, { minLength: 8, maxLength: 8 }),
      FastCheck.array(move, { minLength: 40, maxLength: 40, size: "max" }),
      (positions, moves) => {
        const { found, price, traders } = desk(positions)
        const at = { ...basis }
        const low = new Set([...traders.values()].filter(isLow).map(({ userId }) => userId))
        assert.deepEqual(new Set(found), new Set<string>(low))
        for (const [index, change] of moves) {
          const symbol = symbols[index]!
          at[symbol] = Math.round(at[symbol]! * (10_000 + change)) / 10_000
          price(symbol, at[symbol]!)
          for (const trader of traders.values()) if (isLow(trader)) low.add(trader.userId)
          assert.deepEqual(new Set(found), new Set<string>(low))
        }
        all += found.length
      }
    ),
    { numRuns: 150 }
  )
  assert.isAbove(all, 100)
})

test("checks an account only when the mark reaches that account's threshold", () => {
  const { found, price, prices } = desk(Array.from({ length: 100 }, () => ({ aapl: 50, gold: -1, deposit: 3_000 })))
  prices.asked = 0
  for (let at = 200; at > 190; at -= 0.1) price(aapl, at)
  assert.deepEqual([found, prices.asked], [[], 0])
  price(aapl, 140)
  assert.lengthOf(found, 100)
})

test("ignores a dropped trader's thresholds, and checks the trader again after a reload", () => {
  const { come, found, price, watch } = desk([{ aapl: 50, gold: 0, deposit: 1_100 }])
  come("user-0", { aapl: 0, gold: 0, deposit: 1_100 })
  watch.checkChanged()
  price(aapl, 190)
  assert.deepEqual(found, [])
  price(aapl, 200)
  come("user-0", { aapl: 50, gold: 0, deposit: 1_100 })
  price(aapl, 190.71)
  assert.deepEqual(found, ["user-0"])
})

test("checks a trader only after all of its markets have gone live", () => {
  const { come, found, price, watch } = desk([])
  let isLive = false
  const trader = come("late", { aapl: 50, gold: 0, deposit: 1_100 }, () => isLive)
  price(aapl, 190)
  assert.deepEqual(found, [])
  isLive = true
  watch.changed(trader)
  watch.checkChanged()
  assert.deepEqual(found, ["late"])
})

test("an account whose check throws does not affect other accounts, and is checked again after a change", () => {
  const { come, failed, found, price, traders, watch } = desk([{ aapl: 50, gold: 0, deposit: 1_100 }])
  const broken = come("broken", { aapl: 50, gold: 0, deposit: 1_100 })
  come("other", { aapl: 50, gold: 0, deposit: 1_100 })
  watch.checkChanged()
  const account = broken.ledger.accounts.get(primaryAccountOf(broken.userId))!
  const { leverage } = account.exposures.get(aapl)!
  account.exposures.get(aapl)!.leverage = NaN
  price(aapl, 190.71)
  assert.deepEqual([failed, found.toSorted()], [["broken"], ["other", "user-0"]])
  account.exposures.get(aapl)!.leverage = leverage
  watch.changed(traders.get(broken.userId)!)
  watch.checkChanged()
  assert.include(found, "broken")
})
