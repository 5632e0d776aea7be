/** Metrics of a market on this node: counts of its committed events, and figures of its state. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent, Priced } from "@venue/domain/Market"
import { isLive } from "@venue/domain/MarketHours"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Engine from "@venue/matching/Engine"
import * as Markets from "@venue/telemetry/catalogue/Markets"
import * as Orders from "@venue/telemetry/catalogue/Orders"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect } from "effect"
import type { MarketLog } from "./MarketLog.ts"

export const make = Effect.fnUntraced(function* (instrument: Instrument, log: MarketLog) {
  log.observe({ committed: yield* makeCount(instrument.symbol) })
  yield* collectFigures(instrument, log)
})

/** Returns an observer that counts the events of a row. It adds to each counter once for a row. */
const makeCount = Effect.fnUntraced(function* (symbol: MarketSymbol) {
  const addOrders = yield* Meter.counter(Orders.orders, { symbol })
  const addFills = yield* Meter.counter(Orders.fills, { symbol })
  const addRefusal = yield* Meter.counters(Orders.orderRefusals)
  const addEnded = yield* Meter.counters(Orders.ordersEnded)
  return ({ events }: { readonly events: ReadonlyArray<MarketEvent> }): void => {
    let [orders, fills] = [0, 0]
    for (const event of events) {
      if (event._tag === "Accepted") orders++
      else if (event._tag === "Traded") fills++
      else if (event._tag === "Refused") addRefusal({ symbol, reason: event.status })
      else if (event._tag === "Ended") addEnded({ symbol, status: event.status })
    }
    if (orders > 0) addOrders(orders)
    if (fills > 0) addFills(fills)
  }
})

const collectFigures = Effect.fnUntraced(function* (instrument: Instrument, log: MarketLog) {
  const { symbol } = instrument
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const collect = (
    definition: Parameters<typeof Meter.collect<"symbol">>[0],
    read: (engine: Engine.Engine) => number
  ) =>
    Meter.collect(definition, () => {
      const engine = log.engine()
      return engine === undefined ? [] : [[{ symbol }, read(engine)] as const]
    })

  yield* Meter.collect(Markets.priceAge, () => {
    const engine = log.engine()
    if (engine === undefined) return []
    const prices = Engine.prices(engine)
    const source = prices?.source ?? "none"
    return [[{ symbol, source }, Meter.ageSeconds(now(), prices?.toldAtMillis)] as const]
  })
  yield* collect(Markets.priceExpected, (engine) =>
    Meter.flag(Engine.tradingState(engine) === "TRADING" && isLive(instrument, now()))
  )
  yield* collect(Markets.priceRejections, (engine) => Engine.prices(engine)?.rejections ?? 0)
  yield* collect(Markets.markDeviation, (engine) => deviation(Engine.prices(engine)))
  yield* collect(Markets.marketTrading, (engine) => Meter.flag(Engine.tradingState(engine) === "TRADING"))
  yield* collect(Markets.marketFaulty, () => Meter.flag(log.faultSinceMillis() !== undefined))
  yield* collect(Markets.reserveFund, (engine) => decimalOfMoney(Engine.totals(engine).reserveFund))
  yield* collect(Markets.openInterest, (engine) => openInterest(engine))
  yield* collect(Markets.openInterestLimit, (engine) => Engine.limits(engine).openInterestUsd)
})

const deviation = (prices: Priced | undefined): number =>
  prices === undefined || prices.toldE8 === 0 ? 0 : prices.markE8 / prices.toldE8 - 1

/** Returns the open interest in USD. A lot and a price are each in units of 1e-8. */
const openInterest = (engine: Engine.Engine): number =>
  ((Engine.openInterest(engine) * engine.instrument.lotE8) / 1e8) * ((Engine.prices(engine)?.markE8 ?? 0) / 1e8)
