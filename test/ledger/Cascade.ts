/** A market with thousands of accounts, each with its own ledger, and their desks' work as the price falls. */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { type Id, series } from "@venue/domain/Id"
import { initialInstruments } from "@venue/domain/Instrument"
import { standMillis, type Stand } from "@venue/domain/Liquidation"
import type { MarketCommand, MarketEvent, Place, Priced } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { UserId } from "@venue/domain/UserId"
import { type Account, refresh } from "@venue/ledger/Account"
import * as Ledger from "@venue/ledger/Ledger"
import * as Liquidation from "@venue/ledger/Liquidation"
import * as Engine from "@venue/matching/Engine"
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { type Chance, chanceOf } from "../matching/Chance.ts"

const apple = initialInstruments[0]!
const { symbol } = apple
const instruments = new Map([[symbol, apple]])

export class Cascade {
  readonly engine = Engine.make(apple, Engine.defaults)
  /** Second engine that applies the events of the first. */
  readonly follower = Engine.make(apple, Engine.defaults)
  readonly traders = new Map<UserId, Ledger.Trader>()
  /** Accounts that lost lots to a liquidation. */
  readonly liquidated = new Set<AccountId>()
  /** Number of trades of each kind, with trades at a bankruptcy price counted separately. */
  readonly kinds = new Map<string, number>()
  readonly prices = new Map<MarketSymbol, Priced>()
  readonly openInterest = OpenInterest.none()
  readonly chance: Chance
  credited = 0n
  /** 10:05 in New York on Friday 2026-11-20. */
  now = Date.UTC(2026, 10, 20, 15, 5)
  readonly #draw: () => Id

  constructor(seed: number) {
    this.chance = chanceOf(seed)
    this.#draw = series(() => this.chance.whole(0, 0xffffffff))
  }

  /** Adds a user with this deposit and, for a liquidity provider, this limit. */
  join(name: string, usd: number, limit = 0): UserId {
    const userId = UserId.make(name)
    const accountId = primaryAccountOf(userId)
    const trader = Ledger.make(userId, instruments, this.prices, this.openInterest, Ledger.defaults)
    const amount = BigInt(Math.round(usd * 1e6))
    const credit = { _tag: "Credit", creditId: name, accountId, amount, reason: "" } as const
    for (const event of Result.getOrThrow(Ledger.decide(trader, credit, 0))) Ledger.apply(trader, event)
    const provide = { _tag: "AppointProvider", accountId, limit: limit * 1_000_000, symbols: [symbol] } as const
    for (const event of Result.getOrThrow(Ledger.decide(trader, provide, 0))) Ledger.apply(trader, event)
    this.traders.set(userId, trader)
    this.credited += amount
    return userId
  }

  place(userId: UserId, side: Place["side"], lots: number, price: number, timeInForce: Place["timeInForce"]): void {
    this.tell({
      _tag: "Place",
      ...this.#envelope(userId),
      makerRate: 20_000,
      takerRate: 100_000,
      maxNotional: 1e15,
      leverage: 10,
      finding: null,
      side,
      type: "LIMIT",
      timeInForce,
      priceTicks: Math.round(price * 100),
      quantityLots: lots,
      reduceOnly: false,
      clientOrderId: "",
      builderCode: "",
      origin: "USER"
    })
  }

  mark(price: number): void {
    this.now += 1_000
    this.tell({ _tag: "Observe", priceE8: Math.round(price * 1e8), teller: "operator" })
  }

  /**
   * Runs the desks: they check all accounts every second and report to takeovers half a second later, until nothing
   * changes.
   */
  calm(): void {
    for (let isMoving = true; isMoving;) {
      this.now += 1_000 - standMillis
      isMoving = this.#liquidate()
      this.now += standMillis
      if (Engine.takeovers(this.engine).length === 0) continue
      isMoving = this.tell({ _tag: "CloseTakeovers", stands: this.#stands() }).some(({ _tag }) => _tag === "Traded")
    }
  }

  inLiquidation(): ReadonlyArray<UserId> {
    return [...this.traders.values()]
      .filter((trader) => Liquidation.atRisk(trader).inLiquidation > 0)
      .map(({ userId }) => userId)
  }

  equity(userId: UserId): bigint {
    return Ledger.balance(this.traders.get(userId)!, primaryAccountOf(userId))!.equity
  }

  /** Decides a command, delivers its events to all affected ledgers, and checks all sums after each event. */
  tell(command: MarketCommand): ReadonlyArray<MarketEvent> {
    const events: Array<MarketEvent> = []
    Engine.decide(this.engine, command, this.now, events)
    for (const event of events) this.#hear(event)
    return events
  }

  #hear(event: MarketEvent): void {
    Engine.apply(this.follower, event)
    const { cash, positions, reserveFund } = Engine.totals(this.follower)
    if (cash !== 0 || positions !== 0 || reserveFund < 0) assert.fail(`I25 I26 I28: after ${JSON.stringify(event)}`)
    if (event._tag === "Priced") this.prices.set(symbol, event)
    if (event._tag !== "Traded") {
      const userId = "order" in event ? event.order.userId : "userId" in event ? event.userId : undefined
      if (userId !== undefined) Ledger.observe(this.traders.get(userId)!, symbol, event)
      return
    }
    const { maker, offBook, priceTicks, taker } = event
    const before = this.equity(maker.order.userId)
    for (const { order } of [maker, taker]) Ledger.observe(this.traders.get(order.userId)!, symbol, event)
    const ticksOff = priceTicks - Engine.prices(this.engine)!.markE8 / apple.tickE8
    const kind = offBook === undefined ? taker.order.origin : Math.abs(ticksOff) < 1 ? offBook : "BANKRUPTCY"
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
    if (taker.order.origin === "LIQUIDATION") this.liquidated.add(taker.order.accountId)
    if (offBook === undefined) return
    const after = this.equity(maker.order.userId)
    if (after < 0n && after < before) assert.fail(`I28: from ${before} to ${after} by ${JSON.stringify(event)}`)
  }

  #envelope(userId: UserId) {
    const accountId = primaryAccountOf(userId)
    return { commandId: this.#draw(), expiresAtMillis: this.now + 5_000, traderEpoch: 1, userId, accountId }
  }

  /** Returns true if a trade occurred. */
  #liquidate(): boolean {
    let asked = 0
    let traded = false
    for (const [userId, trader] of this.traders) {
      const account = trader.accounts.get(primaryAccountOf(userId))!
      refresh(account, this.prices)
      const next = Liquidation.measure(account, () => true)
      if (next === undefined) continue
      this.#assertDue(account)
      const events = this.tell({ ...next.measure, ...this.#envelope(userId) })
      traded ||= events.some(({ _tag }) => _tag === "Traded")
      // Stops after slightly more commands than takeovers can be open.
      if (++asked === 260) break
    }
    return traded
  }

  /** Asserts the equity computed from the market's positions and the ledger's credits, at the mark. */
  #assertDue(account: Account): void {
    const { cashFlow, fees, quantityLots } = Engine.view(this.engine, account.accountId).position
    const { markE8 } = Engine.prices(this.engine)!
    const value = (quantityLots * apple.lotE8 * markE8) / 1e10
    const equity = Number(account.deposit) + cashFlow - fees + value
    const margin = Math.abs(value) / 15
    if (equity > margin + 1) assert.fail(`${account.accountId} has ${equity}, and must keep ${margin}`)
  }

  #stands(): ReadonlyArray<Stand> {
    const stands: Array<Stand> = []
    for (const [userId, trader] of this.traders) {
      const account = trader.accounts.get(primaryAccountOf(userId))!
      const exposure = account.exposures.get(symbol)
      if (exposure === undefined || this.chance.percent(5)) continue
      if (exposure.position.quantityLots >= 0 && account.providerLimits.size === 0) continue
      refresh(account, this.prices)
      stands.push({ userId, ...Liquidation.stand(account, exposure) })
    }
    return stands
  }
}
