/**
 * A month of several markets and of everybody who trades in them, on the machines alone: each command passes a ledger, its
 * market and the market's twin, and what is recorded reaches all ledgers before the next.
 */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { dayMillis, dayOf } from "@venue/domain/Day"
import { effectiveVolume, volumeDays } from "@venue/domain/Fee"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent, Priced, TraderCommand } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { LedgerCommand, TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as Engine from "@venue/matching/Engine"
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { type Chance, chanceOf } from "../matching/Chance.ts"
import { decide, emptyEngine, linesOf, obey } from "../matching/Play.ts"
import {
  isOfVenue,
  isTraderCommand,
  type Listing,
  listings,
  make as makeStream,
  type Stream
} from "../matching/Streams.ts"
import type { Step } from "../matching/OperatorSteps.ts"
import * as MarketTwin from "../matching/TwinState.ts"
import { requestOf } from "./Requests.ts"

export interface MonthMarket {
  readonly symbol: MarketSymbol
  readonly stream: Stream
  readonly engine: Engine.Engine
  /** It obeys what the engine says, one event after the other. */
  readonly follower: Engine.Engine
  readonly twin: MarketTwin.Twin
  readonly log: Array<MarketEvent>
}

export interface MonthTrader {
  readonly trader: Ledger.Trader
  readonly journal: Array<TraderEvent>
}

export interface Month {
  readonly chance: Chance
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  readonly prices: Map<MarketSymbol, Priced>
  readonly openInterest: OpenInterest.OpenInterest
  readonly markets: ReadonlyArray<MonthMarket>
  readonly traders: Map<UserId, MonthTrader>
  /** Each command as its ledger made it, by its id. */
  readonly sent: Map<string, TraderCommand>
  /** All that came from outside, in 1e-6 USD. */
  credited: bigint
  day: number
  lastId: number
}

export const make = (seed: number): Month => ({
  chance: chanceOf(seed),
  instruments: new Map(listings.map(([instrument]) => [instrument.symbol, instrument])),
  prices: new Map(),
  openInterest: OpenInterest.none(),
  markets: listings.map((listing, place) => marketOf(seed * listings.length + place, listing)),
  traders: new Map(),
  sent: new Map(),
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

/** Plays it to its end; `night` is called as each day ends. */
export const play = (month: Month, night: () => void): void => {
  const steps = month.markets.flatMap((market) => market.stream.steps.map((step) => ({ market, step })))
  for (const { market, step } of steps.sort((a, b) => a.step.atMillis - b.step.atMillis)) {
    const day = dayOf(step.atMillis)
    if (day > month.day) {
      if (month.day > 0) night()
      begin(month, day)
    }
    take(month, market, step)
  }
  night()
}

/** Tiers are set, and who has lost nearly everything brings more. */
function begin(month: Month, day: number): void {
  month.day = day
  const volumes = volumesBefore(month, day)
  for (const [userId, { trader }] of month.traders) {
    change(month, userId, { _tag: "SetTier", day, effectiveVolume: volumes.get(userId) ?? 0n })
    for (const accountId of Ledger.accountIds(trader)) {
      if (Ledger.balance(trader, accountId)!.available < leastUsd) credit(month, userId, accountId)
    }
    move(month, userId)
  }
}

/** What each user's fills of the days that count weigh, in 1e-6 USD. */
function volumesBefore({ markets }: Month, day: number): ReadonlyMap<UserId, bigint> {
  const volumes = new Map<UserId, bigint>()
  for (const { log, stream } of markets) {
    for (const event of log) {
      if (event._tag !== "Traded" || event.atMillis < (day - volumeDays) * dayMillis) continue
      for (const { order } of [event.maker, event.taker]) {
        const volume = effectiveVolume(stream.instrument, BigInt(event.notional))
        volumes.set(order.userId, (volumes.get(order.userId) ?? 0n) + volume)
      }
    }
  }
  return volumes
}

/** Some of what may leave one account goes to another of the same user. */
function move(month: Month, userId: UserId): void {
  const { trader } = month.traders.get(userId)!
  const [fromAccountId, toAccountId] = [month.chance, month.chance].map(({ pick }) =>
    pick(...Ledger.accountIds(trader))
  )
  const amount = Ledger.balance(trader, fromAccountId!)!.withdrawable / 4n
  if (fromAccountId === toAccountId || amount === 0n) return
  const transferId = `transfer-${++month.lastId}`
  change(month, userId, {
    _tag: "Transfer",
    transferId,
    fromAccountId: fromAccountId!,
    toAccountId: toAccountId!,
    amount
  })
}

function take(month: Month, market: MonthMarket, { atMillis, command }: Step): void {
  if (command._tag === "IntroduceBuilder") {
    const { builderCode, ownerId } = command
    change(month, ownerId, { _tag: "AppointBuilder", builderCode, symbols: [market.symbol] })
  }
  if (!isTraderCommand(command) || isOfVenue(command)) return tell(month, market, { atMillis, command })
  const known = month.sent.get(command.commandId.text)
  if (known !== undefined) return tell(month, market, { atMillis, command: known })
  const { trader } = traderOf(month, command.userId)
  open(month, command.userId, command.accountId)
  const entered = Ledger.enter(trader, requestOf(market.stream.instrument, command), command.traderEpoch)
  month.sent.set(command.commandId.text, entered)
  tell(month, market, { atMillis, command: entered })
  assert.strictEqual(Ledger.pending(trader, command.accountId, market.symbol), 0)
}

/** The market decides, its twin has to say the same, and everybody hears of it. */
function tell(month: Month, market: MonthMarket, step: Step): void {
  const events = decide(market.engine, step)
  const expected: Array<string> = []
  obey(market.twin, step, events, expected)
  const said = linesOf(events)
  if (said.join("\n") !== expected.join("\n")) {
    assert.deepStrictEqual(said, expected, `after ${JSON.stringify(step)}`)
  }
  for (const event of events) {
    market.log.push(event)
    Engine.apply(market.follower, event)
    if (event._tag === "Priced") {
      month.prices.set(market.symbol, event)
      OpenInterest.take(month.openInterest, market.stream.instrument, event)
    }
    for (const { trader } of month.traders.values()) Ledger.observe(trader, market.symbol, event)
    assertSums(month, market, event)
  }
}

/** Positions sum to zero, and so does the money of a market as the ledgers have it, with what the market itself keeps. */
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

/** An account begins with money, and half of them with a leverage of its own in each market. */
function open(month: Month, userId: UserId, accountId: AccountId): void {
  const { journal, trader } = traderOf(month, userId)
  const isNew = accountId === primaryAccountOf(userId) ? journal.length === 0 : !trader.accounts.has(accountId)
  if (!isNew) return
  change(month, userId, { _tag: "OpenAccount", accountId })
  credit(month, userId, accountId)
  for (const { maxLeverage, symbol } of month.instruments.values()) {
    const leverage = month.chance.whole(1, maxLeverage)
    if (month.chance.percent(50)) change(month, userId, { _tag: "SetLeverage", accountId, symbol, leverage })
  }
}

function credit(month: Month, userId: UserId, accountId: AccountId): void {
  const creditId = `credit-${++month.lastId}`
  change(month, userId, { _tag: "Credit", creditId, accountId, amount: creditedUsd, reason: "" })
  month.credited += creditedUsd
}

function change(month: Month, userId: UserId, command: LedgerCommand): void {
  const { journal, trader } = traderOf(month, userId)
  const decided = Ledger.decide(trader, command, month.day * dayMillis)
  for (const event of Result.getOrThrow(decided)) {
    Ledger.apply(trader, event)
    journal.push(event)
  }
}

function traderOf(month: Month, userId: UserId): MonthTrader {
  const known = month.traders.get(userId)
  if (known !== undefined) return known
  const { instruments, openInterest, prices } = month
  const made = { trader: Ledger.make(userId, instruments, prices, openInterest, Ledger.defaults), journal: [] }
  month.traders.set(userId, made)
  return made
}

const creditedUsd = 100_000_000_000n
const leastUsd = 10_000_000_000n
