/** Futures that a new dev venue records for its simulated prices; recorded values are kept. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Seed from "../../../apps/dev/Seed.ts"

const cl = MarketSymbol.make("CL-USD")
const us500 = MarketSymbol.make("US500-USD")
const gold = MarketSymbol.make("GOLD-USD")
const all = { symbol: undefined, startDay: undefined, endDay: undefined, limit: 1_000 }

const start = Date.UTC(2026, 10, 24, 12)
const future = { futureSymbol: "MINE", activeUntilMillis: start + 1_000, expirationMillis: start + 2_000 }

it.effect("records the current future and five settlements for each symbol, and adds nothing on a second start", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { activeAt, calendar, settlements } = yield* FuturesReference
    yield* Seed.plantFutures([cl, us500, gold])
    const before = [yield* settlements(all), yield* calendar(cl), yield* calendar(us500)]
    assert.deepStrictEqual(
      before.map(({ length }) => length),
      [10, 36, 12]
    )
    assert.deepStrictEqual(
      (yield* settlements({ ...all, limit: 2 })).map(({ day, futureSymbol }) => [day, futureSymbol]),
      [
        ["2026-11-23", "CLF7"],
        ["2026-11-23", "ESZ6"]
      ]
    )
    assert.isTrue(Option.isNone(yield* activeAt(gold, start)))
    yield* TestClock.adjust("1 hour")
    yield* Seed.plantFutures([cl, us500, gold])
    assert.deepStrictEqual([yield* settlements(all), yield* calendar(cl), yield* calendar(us500)], before)
  }).pipe(Effect.provide(FuturesReference.layerMemory))
)

it.effect("keeps a calendar that an operator recorded, and extends a calendar whose last future has ended", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { calendar, record, setCalendar, settlements } = yield* FuturesReference
    yield* setCalendar(cl, start, [future])
    yield* record({ symbol: cl, day: "2020-01-02", officialCloseE8: 1, settlementE8: 1, futureSymbol: "MINE" })
    yield* Seed.plantFutures([cl])
    assert.deepStrictEqual(
      (yield* calendar(cl)).map(({ futureSymbol }) => futureSymbol),
      ["MINE"]
    )
    assert.deepStrictEqual(
      (yield* settlements(all)).map(({ day }) => day),
      ["2020-01-02"]
    )
    yield* TestClock.adjust("2 seconds")
    yield* Seed.plantFutures([cl])
    const [next, mine] = (yield* calendar(cl)).slice(-2)
    assert.deepStrictEqual([mine?.futureSymbol, mine?.activeUntilMillis], ["MINE", start + 1_000])
    assert.deepStrictEqual([next?.futureSymbol, next?.activeFromMillis], ["CLF7", start + 1_000])
  }).pipe(Effect.provide(FuturesReference.layerMemory))
)
