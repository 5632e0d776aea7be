/** State of a market as plain values, which a new owner loads instead of replaying a long log. */
import type { TradingState } from "@venue/domain/TradingState"
import type { AccountId } from "@venue/domain/AccountId"
import type { Holders } from "@venue/domain/Holders"
import type { Instrument } from "@venue/domain/Instrument"
import { type Limits, limitsOf } from "@venue/domain/Limits"
import { Id } from "@venue/domain/Id"
import type { BuilderIntroduced } from "@venue/domain/Builder"
import type { Priced } from "@venue/domain/Market"
import type { Bracket } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import type { Twap } from "@venue/domain/Twap"
import type { Sampling } from "@venue/domain/Sampling"
import type { OracleSamples } from "@venue/domain/Settlement"
import type { UserId } from "@venue/domain/UserId"
import type { Since } from "../prices/Alarms.ts"
import * as Book from "../book/Book.ts"
import { hold } from "../lifecycle/Limits.ts"
import * as Ladder from "../book/Ladder.ts"
import { builderNumber, type Liquidated, make, type Market, type Settings } from "../Market.ts"
import * as Outcomes from "../orders/Outcomes.ts"
import * as Participants from "./Participants.ts"
import * as OrderPool from "../book/OrderPool.ts"
import * as StopSnapshot from "../stops/StopSnapshot.ts"
import * as Takeovers from "../risk/Takeovers.ts"
import * as Twaps from "../stops/Twaps.ts"

/** Version of the stored format. Version 1 is the format of release 0.1.0. */
export const version = 1

/** Contains numbers, texts, arrays and bytes only, so that any encoder can carry it. */
export interface Snapshot {
  readonly version: typeof version
  readonly timeMillis: number
  readonly lastPriceTicks: number
  readonly trades: number
  readonly prices: Priced | null
  readonly tradingState: TradingState
  readonly since: Since
  readonly oracleSamples: OracleSamples
  readonly settlementTicks: number
  readonly lastDividendDay: number
  readonly limits: Limits
  readonly lastSplitDay: number
  readonly lastSplitMillis: number
  readonly holders: Holders
  readonly topUps: ReadonlyArray<readonly [topUpId: string, amount: number]>
  /** Users in the order of their numbers: id and epoch. */
  readonly users: ReadonlyArray<readonly [UserId, number]>
  /** Accounts in the order of their numbers: id, user id, quantity, cash flow, basis, fees, funding, rewards. */
  readonly accounts: ReadonlyArray<readonly [AccountId, UserId, number, number, number, number, number, number]>
  readonly totals: Participants.Totals
  readonly sampling: Sampling
  readonly builderCodes: ReadonlyArray<string>
  readonly builders: ReadonlyArray<BuilderIntroduced>
  readonly orders: Orders
  readonly stops: StopSnapshot.StopSnapshot
  /** Open takeovers, oldest first. */
  readonly takeovers: ReadonlyArray<Takeovers.StoredTakeover>
  readonly liquidated: Liquidated
  /** TWAPs in the order in which they were opened. */
  readonly twaps: ReadonlyArray<Twap>
  /**
   * Outcomes, by far the largest part. The byte arrays are the immutable pages themselves, not copies. Concatenated
   * in order, they form one sequence of records, regardless of where the sequence is split.
   */
  readonly outcomes: ReadonlyArray<Uint8Array>
}

/** Bids, then asks, each best first and in queue order; each entry holds the order's own words. */
export interface Orders {
  readonly words: Uint8Array
  readonly clientOrderIds: ReadonlyArray<string>
  /** Brackets of the few entries that have one, by entry number. */
  readonly brackets: ReadonlyArray<readonly [number, Bracket]>
  /** Entry numbers by account, and by age within an account. */
  readonly ages: Uint8Array
}

/**
 * Returns a stored snapshot in the current format. Returns undefined for a version that this release cannot read; the
 * log is then replayed from its first row. A release that changes the format raises `version` and converts the
 * previous version here.
 */
export const readSnapshot = (stored: unknown): Snapshot | undefined =>
  (stored as { readonly version?: unknown }).version === version ? (stored as Snapshot) : undefined

export const snapshot = (market: Market): Snapshot => {
  const { lastPriceTicks, participants, timeMillis, trades } = market
  return {
    version,
    timeMillis,
    lastPriceTicks,
    trades,
    prices: market.prices ?? null,
    tradingState: market.tradingState,
    since: { ...market.since },
    oracleSamples: market.oracleSamples,
    settlementTicks: market.settlementTicks,
    lastDividendDay: market.lastDividendDay,
    limits: limitsOf(market.instrument),
    lastSplitDay: market.lastSplitDay,
    lastSplitMillis: market.lastSplitMillis,
    holders: market.holders,
    topUps: [...market.topUps],
    users: participants.users.map(({ epoch, userId }) => [userId, epoch]),
    accounts: participants.accounts.map(({ accountId, position, user }) => [
      accountId,
      user.userId,
      position.quantityLots,
      position.cashFlow,
      position.basis,
      position.fees,
      position.funding,
      position.rewards
    ]),
    totals: { ...participants.totals },
    sampling: market.sampling,
    builderCodes: [...market.builderCodes],
    builders: [...market.builders.values()],
    orders: ordersOf(market),
    stops: StopSnapshot.snapshot(market),
    takeovers: Takeovers.snapshot(market),
    liquidated: market.liquidated,
    twaps: [...market.twaps.byId.values()],
    outcomes: Outcomes.store(market.outcomes)
  }
}

export const restore = (instrument: Instrument, settings: Settings, stored: Snapshot): Market => {
  const market = make(instrument, settings)
  market.timeMillis = stored.timeMillis
  market.lastPriceTicks = stored.lastPriceTicks
  market.trades = stored.trades
  market.prices = stored.prices ?? undefined
  market.tradingState = stored.tradingState
  Object.assign(market.since, stored.since)
  market.oracleSamples = stored.oracleSamples
  market.settlementTicks = stored.settlementTicks
  market.lastDividendDay = stored.lastDividendDay
  hold(market, stored.limits)
  market.lastSplitDay = stored.lastSplitDay
  market.lastSplitMillis = stored.lastSplitMillis
  market.holders = stored.holders
  for (const [topUpId, amount] of stored.topUps) market.topUps.set(topUpId, amount)
  for (const [userId, epoch] of stored.users) Participants.user(market.participants, userId).epoch = epoch
  for (const [accountId, userId, quantityLots, cashFlow, basis, fees, funding, rewards] of stored.accounts) {
    const account = Participants.account(market.participants, accountId, userId)
    Object.assign(account.position, { quantityLots, cashFlow, basis, fees, funding, rewards })
    account.user.held += Math.abs(quantityLots)
  }
  Object.assign(market.participants.totals, stored.totals)
  market.sampling = stored.sampling
  for (const code of stored.builderCodes) builderNumber(market, code)
  for (const builder of stored.builders) market.builders.set(builder.builderCode, builder)
  restoreOrders(market, stored.orders)
  StopSnapshot.restore(market, stored.stops)
  Takeovers.restore(market, stored.takeovers)
  market.liquidated = stored.liquidated
  for (const twap of stored.twaps) Twaps.keep(market.twaps, twap)
  for (const outcomes of stored.outcomes) Outcomes.load(market.outcomes, outcomes)
  return market
}

const { NEWER, NEXT, PRICE } = OrderPool

function ordersOf(market: Market): Orders {
  const { pool } = market
  const queue = [...queued(market, market.bids), ...queued(market, market.asks)]
  const rows = new Map(queue.map((slot, row) => [slot, row]))
  const words = new Int32Array(queue.length * OrderPool.own)
  queue.forEach((slot, row) => words.set(pool.words.subarray(slot, slot + OrderPool.own), row * OrderPool.own))
  return {
    words: new Uint8Array(words.buffer),
    clientOrderIds: queue.map((slot) => OrderPool.clientOrderId(pool, slot)),
    brackets: queue.flatMap((slot, row) => {
      const bracket = OrderPool.bracket(pool, slot)
      return bracket === undefined ? [] : [[row, bracket] as const]
    }),
    ages: new Uint8Array(Int32Array.from(aged(market), (slot) => rows.get(slot)!).buffer)
  }
}

function restoreOrders(market: Market, stored: Orders): void {
  const { pool } = market
  const words = integers(stored.words)
  const taken = stored.clientOrderIds.map((clientOrderId, row) => {
    const own = words.subarray(row * OrderPool.own, (row + 1) * OrderPool.own)
    const slot = OrderPool.take(pool, orderIdFrom(new Id(own[0]!, own[1]!, own[2]!, own[3]!)), clientOrderId)
    pool.words.set(own.subarray(PRICE), slot + PRICE)
    Book.enqueue(market, slot)
    return slot
  })
  for (const [row, bracket] of stored.brackets) OrderPool.setBracket(pool, taken[row]!, bracket)
  for (const row of integers(stored.ages)) Book.enlist(market, taken[row]!)
  Ladder.drain(market.bids)
  Ladder.drain(market.asks)
}

function queued(market: Market, ladder: Ladder.Ladder): Array<number> {
  const pool: Array<number> = []
  for (
    let priceTicks = ladder.best;
    priceTicks !== 0 && priceTicks !== Ladder.beyond;
    priceTicks = Ladder.next(ladder, priceTicks)
  ) {
    let slot = ladder.heads[Ladder.placeOf(ladder, priceTicks)]!
    for (; slot !== 0; slot = market.pool.words[slot + NEXT]!) pool.push(slot)
  }
  return pool
}

function aged(market: Market): Array<number> {
  const pool: Array<number> = []
  for (const account of market.participants.accounts) {
    for (let slot = account.oldest; slot !== 0; slot = market.pool.words[slot + NEWER]!) pool.push(slot)
  }
  return pool
}

/** Copies the bytes, because a decoder can return an unaligned view. */
function integers(bytes: Uint8Array): Int32Array {
  return new Int32Array(new Uint8Array(bytes).buffer)
}
