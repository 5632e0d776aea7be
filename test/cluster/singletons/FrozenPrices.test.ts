/** Tests of price sources that repeat an old quote. The age of a price is the age of its quote. */
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { aapl, limit, told } from "../../venue/Story.ts"
import { pass, price, priced, TestSource, venueWith } from "./TestSource.ts"

const every = (seconds: number, each: Effect.Effect<void>) =>
  Effect.repeat(Effect.andThen(each, TestClock.adjust("1 second")), { times: seconds - 1 })

it.effect("I29: rule 3.11: a source that repeats one quote is stale 60 s after the quote's own time", () => {
  const one = new TestSource("one", [[aapl, "A"]])
  return venueWith(
    [one.source],
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const trader = yield* venue.trade(yield* venue.user("trader"))
      const quotedAt = (yield* Clock.currentTimeMillis) - 20_000
      const repeat = Effect.sync(() => one.say("A", 200, quotedAt))
      yield* every(38, repeat)
      yield* venue.settle
      assert.deepInclude(yield* priced(aapl), { source: "external", toldAtMillis: quotedAt })
      yield* trader.send(limit("BUY", 1, 199))
      yield* venue.settle
      assert.deepEqual(told(yield* trader.drain), ["ACK"])
      yield* every(4, repeat)
      yield* venue.settle
      assert.deepInclude(yield* priced(aapl), { source: "stale" })
      yield* every(60, repeat)
      yield* venue.settle
      assert.deepInclude(yield* priced(aapl), { source: "stale" })
      yield* trader.send(limit("BUY", 1, 199))
      yield* venue.settle
      assert.deepEqual(told(yield* trader.drain), ["REJECTED_MARKET_CLOSED"])
      one.say("A", 201, yield* Clock.currentTimeMillis)
      yield* pass
      assert.deepInclude(yield* priced(aapl), { source: "external", toldE8: 201e8 })
    })
  )
})

it.effect("I29: ignores a quote whose time is three hours in the past or six seconds in the future", () => {
  const one = new TestSource("one", [[aapl, "A"]])
  return venueWith(
    [one.source],
    Effect.gen(function* () {
      for (const offMillis of [-10_800_000, 6_000]) {
        const now = yield* Clock.currentTimeMillis
        one.say("A", 200, now + offMillis)
        yield* pass
      }
      assert.isUndefined(yield* price(aapl))
    })
  )
})

it.effect(
  "I29: rule 3.7: excludes a source with an old quote from the median, and keeps the other source's price",
  () => {
    const [frozen, live] = [new TestSource("frozen", [[aapl, "A"]]), new TestSource("live", [[aapl, "A"]])] as const
    return venueWith(
      [frozen.source, live.source],
      Effect.gen(function* () {
        const quotedAt = yield* Clock.currentTimeMillis
        const both = Effect.gen(function* () {
          frozen.say("A", 200, quotedAt)
          live.say("A", 210, yield* Clock.currentTimeMillis)
        })
        yield* every(50, both)
        yield* pass
        assert.strictEqual(yield* price(aapl), 205)
        yield* every(30, both)
        yield* pass
        assert.strictEqual(yield* price(aapl), 210)
        assert.deepInclude(yield* priced(aapl), { source: "external" })
      })
    )
  }
)

it.effect("I29: rule 3.7: the price turns stale if two sources are required and one repeats an old quote", () => {
  const [frozen, live] = [new TestSource("frozen", [[aapl, "A"]]), new TestSource("live", [[aapl, "A"]])] as const
  return venueWith(
    [frozen.source, live.source],
    Effect.gen(function* () {
      const quotedAt = yield* Clock.currentTimeMillis
      const both = Effect.gen(function* () {
        frozen.say("A", 200, quotedAt)
        live.say("A", 200, yield* Clock.currentTimeMillis)
      })
      yield* every(57, both)
      yield* (yield* TestVenue).settle
      assert.deepInclude(yield* priced(aapl), { source: "external" })
      yield* every(5, both)
      yield* (yield* TestVenue).settle
      assert.deepInclude(yield* priced(aapl), { source: "stale" })
    }),
    2
  )
})

it.effect("rule 3.11: ignores a quote that is older than the previous quote of the same source and contract", () => {
  const [one, two] = [new TestSource("one", [[aapl, "A"]]), new TestSource("two", [[aapl, "A"]])] as const
  return venueWith(
    [one.source, two.source],
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      one.say("A", 200, now)
      two.say("A", 220, now)
      one.say("A", 190, now - 1)
      yield* pass
      assert.strictEqual(yield* price(aapl), 210)
      // The other source is allowed to lag, and a quote with an unchanged time can have a new price.
      two.say("A", 210, now)
      yield* pass
      assert.strictEqual(yield* price(aapl), 205)
    })
  )
})

it.effect("a repeated old quote does not replace a newer price from an operator", () => {
  const one = new TestSource("one", [[aapl, "A"]])
  return venueWith(
    [one.source],
    Effect.gen(function* () {
      const quotedAt = yield* Clock.currentTimeMillis
      one.say("A", 200, quotedAt)
      yield* pass
      yield* (yield* TestVenue).price(aapl, 190)
      yield* every(
        10,
        Effect.sync(() => one.say("A", 200, quotedAt))
      )
      yield* pass
      assert.strictEqual(yield* price(aapl), 190)
    })
  )
})

it.effect(
  "for a source that sends no timestamps, logs only once that a price has not changed for the configured period",
  () => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    const one = new TestSource("one", [[aapl, "A"]], { unchangedMillis: 180_000 })
    return venueWith(
      [one.source],
      Effect.gen(function* () {
        yield* every(
          170,
          Effect.sync(() => one.say("A", 200))
        )
        assert.isFalse(lines.some((line) => line.includes("has not changed")))
        yield* every(
          60,
          Effect.sync(() => one.say("A", 200))
        )
        const alarms = lines.filter((line) => line.includes("one: the price of AAPL-USD has not changed for 3 minutes"))
        assert.lengthOf(alarms, 1)
        yield* every(
          10,
          Effect.sync(() => one.say("A", 201))
        )
        assert.lengthOf(
          lines.filter((line) => line.includes("the price of AAPL-USD changes again")),
          1
        )
      })
    ).pipe(Effect.provide(Logger.layer([logger])))
  }
)

it.effect("logs a silent source even while another source sends prices", () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  const [frozen, live] = [new TestSource("frozen", [[aapl, "A"]]), new TestSource("live", [[aapl, "A"]])] as const
  return venueWith(
    [frozen.source, live.source],
    Effect.gen(function* () {
      frozen.say("A", 200)
      yield* every(
        90,
        Effect.sync(() => live.say("A", 200))
      )
      const alarms = lines.filter((line) => line.includes("frozen has sent no current price for AAPL-USD for 1 minute"))
      assert.lengthOf(alarms, 1)
    })
  ).pipe(Effect.provide(Logger.layer([logger])))
})
