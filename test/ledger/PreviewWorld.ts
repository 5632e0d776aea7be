/** Several traders and markets on the pure state machines, in which orders are previewed and then sent. */
import { type AccountId, AccountId as Ids } from "@venue/domain/AccountId"
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import { limitsOf } from "@venue/domain/Limits"
import type { MarketCommand, MarketEvent, Priced } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { OrderRequest } from "@venue/domain/Order"
import type { LedgerCommand } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as Engine from "@venue/matching/Engine"
import { Result } from "effect"
import { id } from "../Id.ts"
import type { Chance } from "../matching/Chance.ts"

/** AAPL, GOLD and EUR with their initial prices, in 1e-8 USD. */
export const listed = [
  [initialInstruments[0]!, 200_00000000],
  [initialInstruments[6]!, 3400_00000000],
  [initialInstruments[11]!, 1_08500000]
] as const
export const symbols = listed.map(([{ symbol }]) => symbol)

export const users = ["ann", "ben", "cat", "dan", "bob"].map((name) => UserId.make(name))
export const accounts: ReadonlyArray<AccountId> = [...users, "ann/1", "ben/1"].map((name) => Ids.make(name))
export const userOf = (accountId: AccountId): UserId => UserId.make(accountId.split("/")[0]!)

/** Bob's builder code. */
export const builderCode = id("code").text

/** 10:00 in New York on Friday 2026-11-20. */
const friday = Date.UTC(2026, 10, 20, 15)

export class World {
  readonly engines = new Map<MarketSymbol, Engine.Engine>()
  readonly traders = new Map<UserId, Ledger.Trader>()
  readonly instruments: Map<MarketSymbol, Instrument> = new Map(listed.map(([one]) => [one.symbol, one]))
  readonly prices = new Map<MarketSymbol, Priced>()
  readonly openInterest = OpenInterest.none()
  nowMillis = friday
  #ids = 0

  constructor(chance: Chance) {
    const { percent, pick } = chance
    const settings = { ...Ledger.defaults, maxOpenOrdersPerAccount: pick(4, 10, 1_000) }
    for (const userId of users) {
      this.traders.set(userId, Ledger.make(userId, this.instruments, this.prices, this.openInterest, settings))
    }
    for (const accountId of accounts) {
      if (accountId.includes("/")) this.ask(accountId, { _tag: "OpenAccount", accountId })
      this.credit(accountId, pick(0, 300, 5_000, 200_000, 3_000_000, 50_000_000))
    }
    for (const [instrument, priceE8] of listed) {
      this.engines.set(instrument.symbol, Engine.make(instrument, { maxOpenOrders: pick(3, 8, 200) }))
      this.tell(instrument.symbol, { _tag: "IntroduceBuilder", builderCode, ownerId: UserId.make("bob"), ...shares })
      if (percent(97)) this.tell(instrument.symbol, { _tag: "Observe", priceE8, teller: "operator" })
      if (percent(15)) this.tell(instrument.symbol, { _tag: "SetLimits", ...limitsOf(instrument), ...pick(...tight) })
    }
    for (const accountId of accounts) {
      if (percent(60)) continue
      for (const symbol of symbols)
        this.ask(accountId, { _tag: "SetLeverage", accountId, symbol, leverage: pick(1, 5, 10) })
    }
    if (percent(10)) this.crowd()
  }

  id() {
    return id(`preview ${++this.#ids}`)
  }

  ask(accountId: AccountId, command: LedgerCommand): void {
    const trader = this.traders.get(userOf(accountId))!
    const decided = Ledger.decide(trader, command, this.nowMillis)
    if (Result.isSuccess(decided)) for (const event of decided.success) Ledger.apply(trader, event)
  }

  credit(accountId: AccountId, usd: number): void {
    const amount = BigInt(usd) * 1_000_000n
    this.ask(accountId, { _tag: "Credit", creditId: this.id().text, accountId, amount, reason: "" })
  }

  /** Delivers the market's events to every trader. */
  tell(symbol: MarketSymbol, command: MarketCommand): ReadonlyArray<MarketEvent> {
    const events: Array<MarketEvent> = []
    Engine.decide(this.engines.get(symbol)!, command, this.nowMillis, events)
    for (const event of events) {
      if (event._tag === "Priced") {
        this.prices.set(symbol, event)
        OpenInterest.take(this.openInterest, this.engines.get(symbol)!.instrument, event)
      }
      if (event._tag === "LimitsSet") this.instruments.set(symbol, this.engines.get(symbol)!.instrument)
      for (const trader of this.traders.values()) Ledger.observe(trader, symbol, event)
    }
    return events
  }

  /** Sends a request to its desk, and the resulting command to its market. */
  place(request: OrderRequest): void {
    const trader = this.traders.get(userOf(request.accountId))!
    this.tell(request.symbol, Ledger.enter(trader, request, 1))
  }

  /** Sets the open interest of other markets so that little room remains (rule 6.7). */
  crowd(): void {
    this.openInterest.total += 50_000n * 10n ** 22n - 10n ** 20n - this.openInterest.total
  }
}

const shares = { venueBps: 5_500, builderBps: 3_333 }
const tight = [
  { minQuantityLots: 1, positionUsd: 60_000, openInterestUsd: 10_000_000 },
  { minQuantityLots: 1, positionUsd: 40_000, openInterestUsd: 40_000 }
]

/** Returns the state of a trader, except the parts that it shares with other traders. */
export const stateOf = (trader: Ledger.Trader): string =>
  JSON.stringify(trader, (key, value: unknown) => {
    if (notOwn.has(key)) return undefined
    return value instanceof Map || value instanceof Set ? [...value] : typeof value === "bigint" ? `${value}n` : value
  })

const notOwn = new Set(["instruments", "openInterest", "prices"])

/** State of a market, except its storage layout. */
export const stateOfMarket = (engine: Engine.Engine): string =>
  JSON.stringify(Engine.snapshot(engine)) + Engine.hash(engine)
