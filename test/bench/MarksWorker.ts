/**
 * A venue in memory with moving marks: `MarksWorker.ts <traders> <seconds>`. Each trader has three positions, none
 * near liquidation. The worker sends "ready" when all positions exist, and responds to each message with a
 * `MarksReport`.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { moneyScale, unitScale } from "@venue/domain/Decimal"
import { type Instrument, quantityOf, initialInstruments } from "@venue/domain/Instrument"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Side } from "@venue/domain/Order"
import { UserId } from "@venue/domain/UserId"
import { layerMemory } from "@venue/testing/TestVenue"
import { Clock, Effect, Schedule } from "effect"

export interface MarksReport {
  /** CPU seconds per second, as a fraction of one core. */
  readonly cpu: number
  readonly marks: number
  readonly nearLiquidation: number
}

const [traders = 0, seconds = 1] = process.argv.slice(2).map(Number)

const symbolCount = 20
const positionsEach = 3
const everyMillis = 100
/**
 * Each account's deposit. Its positions are worth three times as much, so liquidation needs a price move of a
 * quarter.
 */
const usdOfAccount = 1_000
const usdOfPosition = 1_000
const startUsd: Readonly<Record<string, number>> = { EQUITY: 200, INDEX: 4_000, COMMODITY: 50, FX: 1.1 }

/** The listed instruments, plus renamed copies of them up to `symbolCount`. */
const instruments: ReadonlyArray<Instrument> = Array.from({ length: symbolCount }, (_, place) => {
  const listed = initialInstruments[place % initialInstruments.length]!
  const base = place < initialInstruments.length ? listed.base : `${listed.base}${place}`
  return { ...listed, clobPairId: place + 1, base, symbol: MarketSymbol.make(`${base}-USD`) }
})
const settings = { ...defaults, instruments: new Map(instruments.map((listed) => [listed.symbol, listed])) }
const usdOf = ({ category }: Instrument): number => startUsd[category]!

/** Traders form pairs. The second trader is short in the markets in which the first is long. */
const userOf = (trader: number) => UserId.make(`trader-${trader}`)
const marketsOf = (trader: number): ReadonlyArray<Instrument> =>
  Array.from(
    { length: positionsEach },
    (_, place) => instruments[((trader >> 1) * positionsEach + place) % symbolCount]!
  )

const hold = Effect.gen(function* () {
  const desks = yield* DeskClient
  const ids = yield* Ids
  const users = Array.from({ length: traders }, (_, trader) => userOf(trader))
  yield* Effect.forEach(
    users,
    (userId) => {
      const accountId = primaryAccountOf(userId)
      const credit = { creditId: "first", accountId, amount: BigInt(usdOfAccount * moneyScale), reason: "bench" }
      return desks.ask(userId, (desk) => desk.Credit({ userId, cost: noCost, ...credit }))
    },
    { concurrency: 64, discard: true }
  )
  const order = (trader: number, instrument: Instrument, side: Side, nowMillis: number) =>
    Effect.callback<void>((resume) => {
      const userId = userOf(trader)
      const lots = Math.round((usdOfPosition * unitScale) / (usdOf(instrument) * instrument.lotE8))
      desks.submit(
        {
          userId,
          cost: noCost,
          request: {
            _tag: "PlaceOrder",
            commandId: ids.next(),
            expiresAtMillis: nowMillis + 600_000,
            accountId: primaryAccountOf(userId),
            symbol: instrument.symbol,
            side,
            type: "LIMIT",
            timeInForce: "GTC",
            price: usdOf(instrument),
            quantity: quantityOf(instrument, lots),
            reduceOnly: false,
            clientOrderId: "",
            builderCode: ""
          }
        },
        () => resume(Effect.void)
      )
    })
  // The sell orders rest before the buy orders arrive.
  for (const side of ["SELL", "BUY"] as const) {
    const nowMillis = yield* Clock.currentTimeMillis
    const first = side === "BUY" ? 0 : 1
    for (let trader = first; trader < traders; trader += 2) {
      yield* Effect.forEach(marketsOf(trader), (instrument) => order(trader, instrument, side, nowMillis), {
        discard: true
      })
    }
    const wanted = side === "SELL" ? (traders / 2) * positionsEach : 0
    yield* Effect.repeat(openOrders, { until: (open) => open === wanted, schedule: Schedule.spaced("50 millis") })
  }
  const held = yield* positions(users)
  if (held !== traders * positionsEach) return yield* Effect.die(new Error(`${held} positions are held`))
})

const summaries = (users: ReadonlyArray<UserId>) =>
  Effect.gen(function* () {
    const desks = yield* DeskClient
    return yield* Effect.forEach(users, (userId) =>
      desks.summary({ userId, accountId: primaryAccountOf(userId), cost: noCost })
    )
  })
const positions = (users: ReadonlyArray<UserId>) =>
  Effect.map(
    summaries(users),
    (found) => found.flatMap(({ holdings }) => holdings).filter(({ quantityLots }) => quantityLots !== 0).length
  )
/** All resting sell orders in a market have the same size, so every buy order matches completely. */
const openOrders = Effect.suspend(() =>
  Effect.map(summaries(Array.from({ length: traders }, (_, trader) => userOf(trader))), (found) =>
    found.flatMap(({ holdings }) => holdings).reduce((open, holding) => open + holding.openOrders, 0)
  )
)

/** Each mark differs from the previous one and stays within half a percent of its start price. */
const mark = Effect.fnUntraced(function* (count: number) {
  const markets = yield* MarketClient
  const away = Math.abs((count % 100) - 50)
  yield* Effect.forEach(
    instruments,
    (instrument) => {
      const priceE8 = Math.round(usdOf(instrument) * unitScale * (1 + away / 10_000))
      return markets.observe(instrument.symbol, priceE8, "operator")
    },
    { concurrency: "unbounded", discard: true }
  )
})

const nearLiquidation = Effect.gen(function* () {
  const desks = yield* DeskClient
  const found = yield* Effect.forEach(Array.from({ length: settings.desks }), (_, id) =>
    desks.askDesk(String(id), (desk) => desk.AtRisk())
  )
  return found.reduce((sum, { inLiquidation, waiting, warned }) => sum + inLiquidation + waiting + warned, 0)
})

let marks = 0
const measured = Effect.gen(function* () {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const first = marks
  yield* Effect.suspend(() => mark(marks++)).pipe(
    Effect.repeat({
      schedule: Schedule.fixed(everyMillis),
      while: () => performance.now() - startedAt < seconds * 1_000
    })
  )
  const { system, user } = process.cpuUsage(before)
  const tookMillis = performance.now() - startedAt
  return {
    cpu: (user + system) / 1_000 / tookMillis,
    marks: (marks - first) * symbolCount,
    nearLiquidation: yield* nearLiquidation
  } satisfies MarksReport
})

const asked = Effect.callback<void>((resume) => {
  process.once("message", () => resume(Effect.void))
})

process.on("disconnect", () => process.exit(0))
await Effect.runPromise(
  Effect.gen(function* () {
    yield* mark(marks++)
    yield* hold
    // Warms up both venues: without this, the venue without positions would have executed less code than the other.
    yield* Effect.repeat(
      Effect.suspend(() => mark(marks++)),
      { times: 500 }
    )
    process.send!("ready")
    while (true) {
      yield* asked
      process.send!(yield* measured)
    }
  }).pipe(Effect.provide(layerMemory), Effect.provideService(VenueSettings, settings), Effect.scoped)
)
