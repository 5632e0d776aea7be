/**
 * A month of several markets and all their traders, on the pure state machines. Each command passes a ledger, its
 * market and the market's twin, and its events reach all ledgers and their twins before the next command.
 */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { dayMillis } from "@venue/domain/Day"
import type { Instrument } from "@venue/domain/Instrument"
import type { Fill, MarketCommand, MarketEvent, Priced, TraderCommand } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { LedgerCommand, TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as Engine from "@venue/matching/Engine"
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { type Chance, chanceOf } from "../matching/Chance.ts"
import { decide, emptyEngine, linesOf, obey } from "../matching/twin/Play.ts"
import { type Listing, listings, make as makeStream, type Stream } from "../matching/twin/Streams.ts"
import * as MarketTwin from "../matching/twin/TwinState.ts"
import * as MonthTwin from "./MonthTwin.ts"
import type * as Twin from "./Twin.ts"

export interface MonthMarket {
  readonly symbol: MarketSymbol
  readonly stream: Stream
  readonly engine: Engine.Engine
  /** Second engine that applies the events of the first, one at a time. */
  readonly follower: Engine.Engine
  readonly twin: MarketTwin.Twin
  readonly log: Array<MarketEvent>
}

export interface MonthTrader {
  readonly trader: Ledger.Trader
  readonly twin: Twin.Twin
  readonly journal: Array<TraderEvent>
}

export interface Month {
  readonly chance: Chance
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  readonly prices: Map<MarketSymbol, Priced>
  /** Marks at which positions are valued, in 1e-8 USD. */
  readonly marks: Map<string, number>
  readonly openInterest: OpenInterest.OpenInterest
  readonly markets: ReadonlyArray<MonthMarket>
  readonly traders: Map<UserId, MonthTrader>
  /** Each command as its ledger created it, by id. */
  readonly sent: Map<string, TraderCommand>
  /**
   * Trader epoch by market and user. The market drops commands with an earlier epoch, because they come from earlier
   * owners.
   */
  readonly epochs: Map<string, number>
  /** Sum of all external money, in 1e-6 USD. */
  credited: bigint
  day: number
  lastId: number
}

export const make = (seed: number): Month => ({
  chance: chanceOf(seed),
  instruments: new Map(listings.map(([instrument]) => [instrument.symbol, instrument])),
  prices: new Map(),
  marks: new Map(),
  openInterest: OpenInterest.none(),
  // The first market is split, and the contract of the second is settled.
  markets: listings.map((listing, place) => marketOf(4 * seed + place, listing)),
  traders: new Map(),
  sent: new Map(),
  epochs: new Map(),
  credited: 0n,
  day: 0,
  lastId: 0
})

function marketOf(seed: number, listing: Listing): MonthMarket {
  const stream = makeStream(seed, undefined, "month", listing)
  const twin = MarketTwin.make(stream.instrument, stream)
  const { symbol } = stream.instrument
  return { symbol, stream, engine: emptyEngine(stream), follower: emptyEngine(stream), twin, log: [] }
}

/** Decides a command, compares the decision with the twin's, delivers its events and returns them. */
export const tell = (
  month: Month,
  market: MonthMarket,
  atMillis: number,
  command: MarketCommand
): ReadonlyArray<MarketEvent> => {
  const { follower, log, stream, symbol } = market
  const step = { atMillis, command }
  const events = decide(market.engine, step)
  const expected: Array<string> = []
  obey(market.twin, step, events, expected)
  const said = linesOf(events)
  if (said.join("\n") !== expected.join("\n")) {
    assert.deepStrictEqual(said, expected, `after ${JSON.stringify(step)}`)
  }
  for (const event of events) {
    log.push(event)
    Engine.apply(follower, event)
    if (event._tag === "Priced") {
      month.prices.set(symbol, event)
      month.marks.set(symbol, event.freshMarkE8)
      OpenInterest.take(month.openInterest, stream.instrument, event)
    }
    const isDeleveraging = event._tag === "Traded" && event.offBook === "DELEVERAGING"
    const before = isDeleveraging ? equityOf(month, event.maker) : 0n
    for (const [userId, { trader, twin }] of month.traders) {
      Ledger.observe(trader, symbol, event)
      MonthTwin.recorded(twin, userId, stream.instrument, event)
    }
    assertSums(month, market, event)
    if (!isDeleveraging) continue
    const after = equityOf(month, event.maker)
    assert.isTrue(after >= 0n || after >= before, `I28: from ${before} to ${after} by ${JSON.stringify(event)}`)
  }
  return events
}

function equityOf({ traders }: Month, { order: { accountId, userId } }: Fill): bigint {
  return Ledger.balance(traders.get(userId)!.trader, accountId)!.equity
}

/** Checks that positions sum to zero, and that the money of the ledgers and of the market sums to zero. */
function assertSums({ traders }: Month, { follower, symbol }: MonthMarket, event: MarketEvent): void {
  let [lots, cash] = [0, 0]
  for (const { trader } of traders.values()) {
    for (const { exposures } of trader.accounts.values()) {
      const position = exposures.get(symbol)?.position
      if (position === undefined) continue
      lots += position.quantityLots
      cash += position.cashFlow - position.fees + position.funding + position.rewards
    }
  }
  const { reserveFund, toppedUp, venueFees } = Engine.totals(follower)
  if (lots !== 0) assert.fail(`I25: positions sum to ${lots} after ${JSON.stringify(event)}`)
  if (cash + reserveFund - toppedUp + venueFees !== 0) {
    assert.fail(`I26: ledgers have ${cash}, the market ${reserveFund} and ${venueFees} after ${JSON.stringify(event)}`)
  }
  if (reserveFund < 0) assert.fail(`the reserve fund has ${reserveFund} after ${JSON.stringify(event)}`)
}

/** Gives each account money, and half of the accounts a leverage of their own in each market. */
export const open = (month: Month, userId: UserId, accountId: AccountId): MonthTrader => {
  const trader = traderOf(month, userId)
  const isPrimary = accountId === primaryAccountOf(userId)
  const isNew = isPrimary ? trader.journal.length === 0 : !trader.trader.accounts.has(accountId)
  if (!isNew) return trader
  change(month, userId, { _tag: "OpenAccount", accountId })
  credit(month, userId, accountId)
  for (const { maxLeverage, symbol } of month.instruments.values()) {
    const leverage = month.chance.whole(1, maxLeverage)
    if (month.chance.percent(50)) change(month, userId, { _tag: "SetLeverage", accountId, symbol, leverage })
  }
  return trader
}

export const credit = (month: Month, userId: UserId, accountId: AccountId, amount = creditedUsd): void => {
  const creditId = `credit-${++month.lastId}`
  change(month, userId, { _tag: "Credit", creditId, accountId, amount, reason: "" })
  month.credited += amount
}

/** Decides a ledger command and records its events. */
export const change = (month: Month, userId: UserId, command: LedgerCommand): void => {
  const { journal, trader, twin } = traderOf(month, userId)
  const decided = Ledger.decide(trader, command, month.day * dayMillis)
  for (const event of Result.getOrThrow(decided)) {
    Ledger.apply(trader, event)
    MonthTwin.own(twin, event)
    journal.push(event)
  }
}

function traderOf(month: Month, userId: UserId): MonthTrader {
  const known = month.traders.get(userId)
  if (known !== undefined) return known
  const { instruments, marks, openInterest, prices } = month
  const made: MonthTrader = {
    trader: Ledger.make(userId, instruments, prices, openInterest, Ledger.defaults),
    twin: MonthTwin.make(userId, instruments, marks),
    journal: []
  }
  month.traders.set(userId, made)
  return made
}

const creditedUsd = 10_000_000_000n
