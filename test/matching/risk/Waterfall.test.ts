/** Losses beyond an account's money, for any responses from the other accounts' desks. */
import { AccountId } from "@venue/domain/AccountId"
import { valueDown } from "@venue/domain/Instrument"
import type { Traded } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import { chanceOf } from "../Chance.ts"
import { apple, assertDurable, eventOf, Scene, told } from "../EngineScene.ts"
import { closeTakeovers, openTakeover, reserveFund, stand } from "../LiquidationScene.ts"

const positionOf = (market: Scene, account: string) => Engine.view(market.engine, AccountId.make(account)).position

/** Value of an account at a mark, in 1e-6 USD. */
const worthAt = (market: Scene, account: string, markE8: number): number => {
  const { cashFlow, fees, quantityLots } = positionOf(market, account)
  return cashFlow - fees + valueDown(apple, quantityLots, markE8)
}

it("I28: a loss is paid by the bankrupt account first, then by the fund if it suffices, then by others within their capacity", () => {
  const seen = { covered: 0, uncovered: 0, shared: 0, left: 0, goneOn: 0, recovered: 0 }
  for (let seed = 1; seed <= 400; seed++) {
    const { percent, pick, whole } = chanceOf(seed)
    const market = new Scene()
    const others = Array.from({ length: whole(1, 12) }, (_, n) => `other ${n}`)
    const side = percent(50) ? "SELL" : "BUY"
    for (const account of others) {
      const quantity = whole(100, 40_000) / 1_000
      market.place(side, quantity, 200, { account })
      market.place(side === "SELL" ? "BUY" : "SELL", quantity, 200, { account: "whale", timeInForce: "IOC" })
    }
    const funded = percent(60) ? whole(1, 900_000_000) : 0
    if (funded > 0) market.ask({ _tag: "TopUpFund", topUpId: "fund", amount: funded, reason: "" })
    market.ask({ _tag: "Observe", priceE8: whole(150_000_000, 250_000_000) * 100, teller: "operator" })
    const { markE8 } = Engine.prices(market.engine)!
    const share = pick(0, whole(1, 900), -whole(1, 900), -whole(1, 900), -funded / 1e6, -(funded + 1) / 1e6)
    const whale = positionOf(market, "whale").quantityLots
    openTakeover(market, "whale", share)
    const stands = others
      .concat("provider")
      .filter(() => percent(75))
      .map((account) =>
        stand(market, account, {
          ratio: whole(1, 4),
          mayLose: pick(0, whole(0, 900), 1e6),
          ...(account === "provider" || percent(10) ? { freeMargin: whole(0, 9), buys: whole(0, 50), sells: 50 } : {})
        })
      )
    const goneBps = percent(50) ? 0 : pick(-1, 1) * whole(1, pick(30, 300, 300))
    const nowE8 = Math.round(markE8 * (1 - (Math.sign(whale) * goneBps) / 10_000))
    if (goneBps !== 0) market.ask({ _tag: "Observe", priceE8: nowE8, teller: "operator" })
    assert.strictEqual(Engine.prices(market.engine)!.markE8, nowE8)
    const whaleBefore = worthAt(market, "whale", markE8)
    const before = new Map(others.concat("provider").map((account) => [account, worthAt(market, account, nowE8)]))
    const fund = Engine.totals(market.engine).reserveFund
    const events = closeTakeovers(market, stands)
    const trades = events.filter((event): event is Traded => event._tag === "Traded")
    const lost = (account: string) => before.get(account)! - worthAt(market, account, nowE8)

    // The account loses its share in proportion to the transferred lots. If all lots were transferred, it loses
    // exactly its share.
    const gone = Math.abs(whale) - Math.abs(positionOf(market, "whale").quantityLots)
    const part = (Math.round(share * 1e6) * gone) / Math.abs(whale)
    const whaleLost = whaleBefore - worthAt(market, "whale", markE8)
    assert.isBelow(Math.abs(whaleLost - part), 2, `seed ${seed}`)
    if (gone === Math.abs(whale)) assert.strictEqual(whaleLost, Math.round(share * 1e6))
    const isCovered = fund + Math.min(0, Math.round(share * 1e6)) >= 0
    const now = Engine.totals(market.engine).reserveFund
    assert.isAtLeast(now, 0)
    if (!isCovered) assert.isAtLeast(now, fund, "what does not cover all covers nothing")
    // Position values before and after are each rounded down.
    for (const account of others) {
      const answer = stands.find(({ accountId }) => accountId === account)
      if (answer === undefined) assert.isAtMost(lost(account), 2, `seed ${seed}: ${account} did not answer`)
      else if (answer.provider === null) assert.isAtMost(lost(account), answer.mayLose + 2, `seed ${seed}: ${account}`)
    }
    // A provider's fee covers the move of the mark, except for rounding to a tick.
    const took = Math.abs(positionOf(market, "provider").quantityLots)
    assert.isAtMost(lost("provider"), took * 10 + 2, `seed ${seed}: the provider`)
    if (goneBps < -25) assert.strictEqual(gone, 0, `seed ${seed}: it has recovered`)
    // An account is deleveraged only after those nearer to liquidation have no capacity left.
    const ratios = trades.flatMap(({ maker, offBook }) => {
      const answer = stands.find(({ accountId }) => accountId === maker.order.accountId)
      return offBook === "DELEVERAGING" ? [answer?.ratioE6 ?? Infinity] : []
    })
    assert.deepStrictEqual(
      ratios,
      ratios.toSorted((a, b) => a - b)
    )
    if (trades.length > 0) seen[isCovered ? "covered" : "uncovered"]++
    if (trades.length > 1) seen.shared++
    if (eventOf(events, "TakeoverClosed").leftLots !== 0) seen.left++
    if (goneBps > 25 && trades.length > 0) seen.goneOn++
    if (goneBps < -25) seen.recovered++
    assertDurable(market)
  }
  for (const [what, count] of Object.entries(seen)) assert.isAbove(count, 50, what)
})

it("rule 9.9: takeover transfers that do not fit in one journal row wait for the next takeover", () => {
  const market = new Scene()
  const others = Array.from({ length: 1_500 }, (_, n) => `other ${n}`)
  for (const account of others) {
    market.sell(1, 200, { account })
    market.buy(1, 200, { account: "whale", timeInForce: "IOC" })
    for (const price of [250, 251, 252]) market.buy(1, price, { account, type: "STOP_LOSS" })
  }
  openTakeover(market, "whale", 0)
  const first = closeTakeovers(market, [])
  assert.isBelow(first.length, 4_096 + 10)
  assert.strictEqual(market.position("whale"), 1_500 - 1_024)
  openTakeover(market, "whale", 0)
  assert.strictEqual(told(closeTakeovers(market, [])).at(-1), "TakeoverClosed")
  assert.strictEqual(market.position("whale"), 0)
  assert.strictEqual(reserveFund(market), 0)
  assertDurable(market)
})

it("rule 9.9: takeovers that do not fit in one journal row stay open until the next tick", () => {
  const market = new Scene()
  const longs = Array.from({ length: 4 }, (_, n) => `long ${n}`)
  for (const account of longs) {
    for (let n = 0; n < 500; n++) {
      const other = `other ${account} ${n}`
      market.sell(1, 200, { account: other })
      market.buy(1, 200, { account, timeInForce: "IOC" })
      for (const price of [250, 251, 252]) market.buy(1, price, { account: other, type: "STOP_LOSS" })
    }
    openTakeover(market, account, 0)
  }
  const closed = () => told(closeTakeovers(market, [])).filter((event) => event === "TakeoverClosed").length
  assert.deepStrictEqual([closed(), closed(), closed()], [3, 1, 0])
  // The third takeover was cut short.
  assert.deepStrictEqual(
    longs.map((account) => market.position(account)),
    [0, 0, 476, 0]
  )
})
