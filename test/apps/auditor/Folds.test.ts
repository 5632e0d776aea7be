/**
 * Compares the auditor's arithmetic with the engine and the ledger, over a month of three markets without a cluster.
 */
import type { MarketEvent, Traded } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import * as MarketFold from "../../../apps/auditor/MarketFold.ts"
import * as TraderFold from "../../../apps/auditor/TraderFold.ts"
import * as Month from "../../ledger/Month.ts"
import { play } from "../../ledger/MonthPlay.ts"
import { emptyEngine } from "../../matching/twin/Play.ts"

const month = Month.make(52)
play(month, () => {})

/** Puts each event into its own row. */
const folded = (market: Month.MonthMarket, events: ReadonlyArray<MarketEvent>) => {
  const fold = MarketFold.make(market.stream.instrument)
  const faults: Array<string> = []
  events.forEach((event, place) => MarketFold.take(fold, [event], place + 1, (fault) => faults.push(fault)))
  return { fold, faults }
}

const positionsOf = (engine: Engine.Engine) =>
  new Map(Engine.snapshot(engine).accounts.map(([accountId, , ...position]) => [accountId as string, position]))

it("I21, I25, I26, I52: the auditor's sums of a market's log equal the engine's positions at any row", () => {
  for (const market of month.markets) {
    const { faults, fold } = folded(market, market.log)
    assert.deepStrictEqual(faults, [])
    const replayed = emptyEngine(market.stream)
    let compared = 0
    market.log.forEach((event, place) => {
      Engine.apply(replayed, event)
      if (place % 997 !== 0 && place !== market.log.length - 1) return
      for (const [account, position] of positionsOf(replayed)) {
        assert.deepStrictEqual(
          [...MarketFold.positionAsOf(fold, account, place + 1)],
          position,
          `${account} at ${place}`
        )
        compared++
      }
      const { reserveFund, toppedUp, venueFees } = Engine.totals(replayed)
      assert.deepStrictEqual(MarketFold.houseAsOf(fold, place + 1), [venueFees, reserveFund, toppedUp])
    })
    assert.isAbove(compared, 10)
  }
})

it("I10, I52: the auditor's sums of a trader's journal equal the balances in the trader's ledger", () => {
  let compared = 0
  for (const [userId, { journal, trader }] of month.traders) {
    const fold = TraderFold.make(userId)
    journal.forEach((event, place) => TraderFold.take(fold, [event], place + 1, () => {}))
    for (const { accountId, deposit, referralRewards } of trader.accounts.values()) {
      assert.deepStrictEqual(TraderFold.asOf(fold, accountId, journal.length), [deposit, referralRewards])
      compared++
    }
  }
  assert.isAbove(compared, 3)
})

const first = (market: Month.MonthMarket) => market.log.findIndex(({ _tag }) => _tag === "Traded")

it.each<readonly [what: string, change: (trade: Traded) => Traded]>([
  ["number", (trade) => ({ ...trade, number: trade.number + 1 })],
  ["price", (trade) => ({ ...trade, priceTicks: trade.priceTicks + 1 })],
  ["quantity", (trade) => ({ ...trade, quantityLots: trade.quantityLots + 1 })],
  ["value", (trade) => ({ ...trade, notional: trade.notional + 1 })],
  ["profit", (trade) => ({ ...trade, taker: { ...trade.taker, realised: trade.taker.realised + 1 } })],
  [
    "remaining quantity",
    (trade) => {
      const { maker } = trade
      return { ...trade, maker: { ...maker, order: { ...maker.order, remainingLots: maker.order.remainingLots + 1 } } }
    }
  ],
  [
    "side",
    (trade) => ({ ...trade, maker: { ...trade.maker, order: { ...trade.maker.order, side: trade.taker.order.side } } })
  ]
])("I21, I25, I52: reports a fault in the log if the %s of a trade was changed", (_what, change) => {
  const market = month.markets[0]!
  const place = first(market)
  const changed = market.log.with(place, change(market.log[place] as Traded))
  assert.isNotEmpty(folded(market, changed.slice(0, place + 1)).faults)
})

it("I26, I52: reports a fault in the log if the remainder of a funding hour, a dividend or a split is wrong", () => {
  for (const tag of ["Funded", "DividendPaid", "ContractSplit"] as const) {
    const market = month.markets.find(({ log }) => log.some(({ _tag }) => _tag === tag))!
    const place = market.log.findIndex(
      (event) => event._tag === tag && (event._tag !== "Funded" || event.rateE12 !== 0)
    )
    const event = market.log[place] as Extract<MarketEvent, { readonly remainder: number }>
    const changed = market.log.slice(0, place + 1).with(place, { ...event, remainder: event.remainder + 1 })
    assert.isNotEmpty(folded(market, changed).faults, tag)
  }
})
