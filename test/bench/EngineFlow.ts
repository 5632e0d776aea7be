/**
 * The flow (the benchmark's recorded order stream) as commands to the matching engine. The market is US500-USD during
 * opening hours on a Friday, with all rules enabled.
 */
import { AccountId } from "@venue/domain/AccountId"
import { ratesOf } from "@venue/domain/Fee"
import { initialInstruments } from "@venue/domain/Instrument"
import type { Id } from "@venue/domain/Id"
import type { MarketCommand, MarketEvent } from "@venue/domain/Market"
import { type OrderId, orderIdFrom } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { Kind, recordInts, type Totals } from "./Flow.ts"
import { ids } from "./Ids.ts"

export const us500 = initialInstruments.find(({ symbol }) => symbol === "US500-USD")!

/**
 * Multiplier from the benchmark flow's lots to sent lots. One lot of the flow is worth 65 USD, which is above the
 * minimum notional.
 */
export const lotsPerFlowLot = 100

/**
 * The benchmark flow's first price, so that the flow's range of a few hundred ticks stays within the price band. All
 * passes share one object: V8 discards optimised code when the object's hidden class is garbage-collected between
 * passes.
 */
const observed: MarketCommand = { _tag: "Observe", priceE8: 655_360_000_000, teller: "operator" }

/** 10:00 in New York on Friday 2026-11-20. */
export const startMillis = Date.UTC(2026, 10, 20, 15)

const rates = ratesOf(us500, 1)
const accounts = 64
const operationsPerMilli = 100
const tickEvery = 1_000 * operationsPerMilli
const settings: Engine.Settings = { maxOpenOrders: 1_000_000 }

export interface Names {
  /** `place` is the record's index in the benchmark flow. */
  readonly commandId: (place: number) => Id
  /** `id` is the order's id in the benchmark flow. */
  readonly orderId: (id: number) => OrderId
  readonly clientOrderId: (id: number) => string
  readonly makers: ReadonlyArray<string>
  readonly takers: ReadonlyArray<string>
}

export const name = (records: Int32Array): Names => {
  const commandId = ids()
  const person = ids()
  const client = ids()
  const placeOf = new Int32Array(records.length / recordInts + 1)
  for (let place = 0; place * recordInts < records.length; place++) {
    if (records[place * recordInts] !== Kind.cancel) placeOf[records[place * recordInts + 4]!] = place
  }
  return {
    commandId,
    orderId: (id) => orderIdFrom(commandId(placeOf[id]!)),
    clientOrderId: (id) => client(id).text,
    makers: Array.from({ length: accounts }, (_, index) => person(index).text),
    takers: Array.from({ length: accounts }, (_, index) => person(accounts + index).text)
  }
}

/** Sums of the recorded events, for comparison with the benchmark flow's totals. */
export class Sums {
  trades = 0
  volume = 0
  notional = 0
  events = 0

  add(row: ReadonlyArray<MarketEvent>): void {
    for (const event of row) {
      if (event._tag !== "Traded") continue
      this.trades++
      this.volume += event.quantityLots
      this.notional += event.notional
    }
    this.events += row.length
  }
}

export class EngineRun {
  readonly engine = Engine.make(us500, settings)
  readonly sums = new Sums()
  readonly #records: Int32Array
  readonly #names: Names
  readonly #onRow: (events: ReadonlyArray<MarketEvent>) => void
  #from = 0
  #batch: Array<MarketCommand> = []

  constructor(records: Int32Array, names: Names, onRow: (events: ReadonlyArray<MarketEvent>) => void = ignore) {
    this.#records = records
    this.#names = names
    this.#onRow = onRow
    Engine.decide(this.engine, observed, startMillis, [])
  }

  /** Decodes commands before the clock starts. */
  prepare(from: number, to: number): void {
    this.#from = from
    this.#batch = []
    for (let i = from; i < to; i++) this.#batch.push(this.#command(i, nowAt(i)))
  }

  /**
   * Decides the prepared commands, 100 per millisecond of market time, and creates the journal row with its price
   * levels.
   */
  run(): void {
    const { engine } = this
    const row: Array<MarketEvent> = []
    let i = this.#from
    for (const command of this.#batch) {
      const now = nowAt(i)
      if (i % tickEvery === 0) Engine.decide(engine, { _tag: "Tick" }, now, row)
      Engine.decide(engine, command, now, row)
      i++
    }
    Engine.touched(engine)
    this.sums.add(row)
    this.#onRow(row)
  }

  totals(): Totals {
    const { engine, sums } = this
    const { askTicks, bidTicks } = Engine.best(engine)
    const resting = restingOf(engine, this.#names)
    return {
      trades: sums.trades,
      volume: sums.volume / lotsPerFlowLot,
      notional: sums.notional / us500.tickLotMicros / lotsPerFlowLot,
      resting,
      bid: bidTicks ?? -1,
      ask: askTicks ?? -1
    }
  }

  #command(i: number, now: number): MarketCommand {
    const records = this.#records
    const { clientOrderId, makers, orderId, takers } = this.#names
    const at = i * recordInts
    const kind = records[at]!
    const id = records[at + 4]!
    const commandId = this.#names.commandId(i)
    const owner = (kind === Kind.market ? takers : makers)[id % accounts]!
    const expiresAtMillis = now + 5_000
    if (kind === Kind.cancel) {
      return {
        _tag: "Cancel",
        commandId,
        expiresAtMillis,
        traderEpoch: 1,
        userId: UserId.make(owner),
        accountId: AccountId.make(owner),
        orderId: orderId(id),
        clientOrderId: ""
      }
    }
    const isMarket = kind === Kind.market
    return {
      _tag: "Place",
      commandId,
      expiresAtMillis,
      traderEpoch: 1,
      userId: UserId.make(owner),
      accountId: AccountId.make(owner),
      makerRate: rates.maker,
      takerRate: rates.taker,
      maxNotional: largest,
      leverage: us500.maxLeverage,
      finding: null,
      side: records[at + 1] === 0 ? "BUY" : "SELL",
      type: isMarket ? "MARKET" : "LIMIT",
      timeInForce: isMarket ? "IOC" : "GTC",
      priceTicks: records[at + 2]!,
      quantityLots: records[at + 3]! * lotsPerFlowLot,
      reduceOnly: false,
      clientOrderId: clientOrderId(id),
      builderCode: "",
      origin: "USER"
    }
  }
}

export const restingOf = (engine: Engine.Engine, { makers }: Names): number =>
  makers.reduce((sum, maker) => sum + Engine.view(engine, AccountId.make(maker)).orders.length, 0)

const nowAt = (i: number): number => startMillis + Math.floor(i / operationsPerMilli)

const ignore = (_events: ReadonlyArray<MarketEvent>): void => {}

/** A position limit of a billion USD, which the benchmark flow never reaches. */
const largest = 1e15
