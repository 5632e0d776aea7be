/** The one clock of a venue: the time of its database, which each node carries on with its own monotonic clock. */
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as CarriedTime from "./CarriedTime.ts"
import * as GivenUp from "./GivenUp.ts"
import * as Table from "./Table.ts"

/** In a drill the node's own clock is off by this many milliseconds, which nobody may notice. */
export const ClockShift = Context.Reference<number>("@venue/postgres/ClockShift", { defaultValue: () => 0 })

/** The node's own clock with that shift. It stands below all else, so that whatever reads it by mistake shows. */
export const layerShifted: Layer.Layer<never> = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const own = yield* Clock.Clock
    const shift = yield* ClockShift
    return shift === 0 ? own : clockOf(own, () => own.currentTimeMillisUnsafe() + shift)
  })
)

/** Whatever reads or keeps time stands on it. A system clock that is off or set changes nothing after the start. */
export const layer: Layer.Layer<never, SqlError, SqlClient.SqlClient> = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const own = yield* Clock.Clock
    const counter = () => Number(own.monotonicTimeNanosUnsafe()) / 1e6
    const measured = yield* makeMeasured(counter)
    const time = CarriedTime.make(yield* measured)
    const again = Effect.gen(function* () {
      const wrongMillis = time.correct(yield* measured, counter())
      if (Math.abs(wrongMillis) < saidMillis) return
      const seconds = Math.round(Math.abs(wrongMillis) / 100) / 10
      yield* Effect.logWarning(
        `this node's time was ${seconds} s ${wrongMillis > 0 ? "behind" : "ahead of"} the database's`
      )
    })
    // A database that is away says so elsewhere: the time goes on without it.
    const measuring = Effect.repeat(Effect.ignore(GivenUp.after(giveUpAfter)(again)), Schedule.spaced(measureEvery))
    yield* Effect.forkScoped(Effect.delay(measuring, measureEvery))
    return clockOf(own, () => time.at(counter()))
  })
)

/** Of a few measurements the one with the shortest way there and back. */
const makeMeasured = Effect.fnUntraced(function* (counter: () => number) {
  const sql = yield* SqlClient.SqlClient
  const one = Effect.gen(function* () {
    const askedAt = counter()
    const [row] = yield* times.all(sql`select ${times.columns}`)
    return { toldMillis: row!.now, askedAt, answeredAt: counter() }
  })
  return Effect.map(Effect.replicateEffect(one, measurements), (all): CarriedTime.Measurement =>
    all.reduce((best, next) => (lengthOf(next) < lengthOf(best) ? next : best))
  )
})

const lengthOf = ({ answeredAt, askedAt }: CarriedTime.Measurement): number => answeredAt - askedAt

const times = Table.selection({
  now: { schema: Schema.Number, expression: "(extract(epoch from clock_timestamp()) * 1000)::float8" }
})

/** Tells this time; sleeping and counting are those of the node's own clock. */
const clockOf = (own: Clock.Clock, exactMillis: () => number): Clock.Clock => {
  const millis = () => Math.floor(exactMillis())
  const nanos = () => BigInt(Math.floor(exactMillis() * 1_000)) * 1_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => own.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: own.monotonicTimeNanos,
    sleep: (duration) => own.sleep(duration)
  }
}

const measureEvery = "10 seconds"
const giveUpAfter = "3 seconds"
const measurements = 3
/** An error of this much is worth a line in the log: a clock was set, or a machine stood still. */
const saidMillis = 500
