/** Tests of a desk's balance reports, compared with the journal. */
import * as AuditReports from "@venue/cluster/entities/desk/traders/AuditReports"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Books from "../../../../../apps/auditor/Books.ts"
import * as Confirming from "../../../../../apps/auditor/Confirming.ts"
import * as Faults from "../../../../../apps/auditor/Faults.ts"
import * as LiveAccounts from "../../../../../apps/auditor/LiveAccounts.ts"
import { friday, Scene } from "../../../../matching/EngineScene.ts"
import { makeMarket } from "../../../EngineMarket.ts"
import { buyingThree, one, turns, userId, venue } from "../../../Neighbours.ts"

const accountId = primaryAccountOf(userId)

/** Creates a trader who has bought three units of the first contract, and an auditor that has read all rows. */
const begin = Effect.fnUntraced(function* (market: ReturnType<typeof makeMarket>) {
  yield* TestClock.setTime(friday)
  const { decide, near, rows } = market
  const books = Books.make()
  Books.market(books, one)
  const stream = marketStream(one.symbol)
  Books.take(books, { stream, seq: 1, epoch: 1, events: new Uint8Array(0) })
  /** Adds the new rows of the trader's journal, and the market's events since the last call, to the books. */
  const read = Effect.gen(function* () {
    for (const row of yield* (yield* Journal).read(traderStream(userId), Books.trader(books, userId).line.seq, 1_000))
      Books.take(books, row)
    for (const { events, seq } of rows.splice(0))
      Books.take(books, { stream, seq, epoch: 1, events: MarketRecord.encode(events) })
  })
  const traders = yield* Traders.make(Effect.succeed(true))
  yield* AuditReports.make("0", traders)
  const trader = yield* traders.wake(userId)
  trader.change({ _tag: "Credit", creditId: "", accountId, amount: 10_000_000_000n, reason: "" }, () => {})
  const house = new Scene(null)
  const now = yield* Clock.currentTimeMillis
  decide({ _tag: "Observe", priceE8: 200e8, teller: "operator" }, now)
  decide(house.placing("SELL", 5, 200, { account: "house" }), now)
  trader.enter(buyingThree(house.id(), accountId, now))
  yield* turns
  yield* TestClock.adjust("1 second")
  yield* turns
  for (const { command } of near.submitted.splice(0)) decide(command, now)
  yield* turns
  const modes = yield* VenueModes
  const reports = yield* DeskReports
  /** Ends an audit, waits for the desk's report, and runs the next audit. */
  const audited = Effect.gen(function* () {
    yield* TestClock.adjust("2 seconds")
    const since = (yield* Clock.currentTimeMillis) - 1
    yield* modes.audited({ fault: null, difference: null })
    yield* TestClock.adjust("500 millis")
    yield* turns
    yield* read
    const told = yield* reports.since(since)
    // A second read adds nothing, because every row is already in the books.
    const readingOn = { streams: () => Effect.void }
    for (const { traders } of told) for (const trader of traders) LiveAccounts.compare(books, trader, readingOn)
    yield* Confirming.secondReads(books.faults)
    return { told, fault: Faults.summary(books.faults) }
  })
  return { audited, trader }
})

const desk = (
  name: string,
  story: (
    market: ReturnType<typeof makeMarket>
  ) => Effect.Effect<void, unknown, Effect.Services<ReturnType<typeof begin>>>
) =>
  it.effect(name, () => {
    const market = makeMarket()
    const testLayer = Layer.mergeAll(market.layer, Journal.layerMemory, ReadTables.layerMemory)
    return Effect.scoped(story(market)).pipe(Effect.provide(Layer.provideMerge(testLayer, venue)))
  })

desk("each audit reports balances that match the journal", (market) =>
  Effect.gen(function* () {
    const { audited } = yield* begin(market)
    const { fault, told } = yield* audited
    assert.isNull(fault)
    const [account] = told[0]!.traders[0]!.accounts
    assert.strictEqual(account!.deposit, "10000000000")
    assert.deepStrictEqual(
      account!.positions.find(([symbol]) => symbol === one.symbol)!.slice(1, 4),
      [3_000, -600_000_000, 600_000_000]
    )
    yield* TestClock.adjust("1 minute")
    const reports = yield* DeskReports
    assert.lengthOf(yield* reports.since((yield* Clock.currentTimeMillis) - 50_000), 0)
  })
)

desk("I52: the next audit report detects a balance that deviates by a single unit", (market) =>
  Effect.gen(function* () {
    const { audited, trader } = yield* begin(market)
    assert.isNull((yield* audited).fault)
    const account = trader.ledger.accounts.get(accountId)!
    const { position } = account.exposures.get(one.symbol)!
    for (const part of ["quantityLots", "cashFlow", "basis", "fees", "funding", "rewards"] as const) {
      position[part] += 1
      assert.include((yield* audited).fault!, one.symbol, part)
      position[part] -= 1
      assert.isNull((yield* audited).fault, part)
    }
    for (const part of ["deposit", "referralRewards"] as const) {
      account[part] -= 1n
      assert.include((yield* audited).fault!, accountId, part)
      account[part] += 1n
      assert.isNull((yield* audited).fault, part)
    }
  })
)

desk("omits a trader from the audit report while one of the trader's decisions is uncommitted", (market) =>
  Effect.gen(function* () {
    const { trader } = yield* begin(market)
    assert.isDefined(trader.appliedHeads())
    const toAccountId = AccountId.make("00000000-0000-4000-8000-0000000000aa")
    trader.change({ _tag: "OpenAccount", accountId: toAccountId }, () => {})
    assert.isUndefined(trader.appliedHeads())
    yield* turns
    assert.isDefined(trader.appliedHeads())
  })
)
