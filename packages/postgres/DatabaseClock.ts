/** The venue's clock: the database's time, extrapolated on each node with the node's monotonic clock. */
import * as Nodes from "@venue/telemetry/catalogue/Nodes"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as CarriedTime from "./CarriedTime.ts"
import * as GivenUp from "./GivenUp.ts"
import * as Table from "./Table.ts"

/** Error of the node's own clock in milliseconds, set in fault-injection tests. The venue must tolerate it. */
export const ClockShift = Context.Reference<number>("@venue/postgres/ClockShift", { defaultValue: () => 0 })

/** Shifts the node's own clock, below all other layers, so that tests reveal code that reads it by mistake. */
export const layerShifted: Layer.Layer<never> = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const own = yield* Clock.Clock
    const shift = yield* ClockShift
    return shift === 0 ? own : clockOf(own, () => own.currentTimeMillisUnsafe() + shift)
  })
)

/** Provides the database's time to all layers above. After the start, changes to the system clock have no effect. */
export const layer: Layer.Layer<never, SqlError, SqlClient.SqlClient> = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const own = yield* Clock.Clock
    const counter = () => Number(own.monotonicTimeNanosUnsafe()) / 1e6
    const measured = yield* makeMeasured(counter)
    const time = CarriedTime.make(yield* measured)
    let correctedMillis = 0
    yield* Meter.collectOne(Nodes.clockCorrection, () => correctedMillis / 1_000)
    const again = Effect.gen(function* () {
      const wrongMillis = time.correct(yield* measured, counter())
      correctedMillis = wrongMillis
      if (Math.abs(wrongMillis) < loggedMillis) return
      const seconds = Math.round(Math.abs(wrongMillis) / 100) / 10
      yield* Effect.logWarning(
        `this node's time was ${seconds} s ${wrongMillis > 0 ? "behind" : "ahead of"} the database's time and was corrected`
      )
    })
    // `DatabaseOutage` logs the failure; the extrapolated time continues without the database.
    const measuring = Effect.repeat(Effect.ignore(GivenUp.after(giveUpAfter)(again)), Schedule.spaced(measureEvery))
    yield* Effect.forkScoped(Effect.delay(measuring, measureEvery))
    return clockOf(own, () => time.at(counter()))
  })
)

/** Returns an effect that measures several times and returns the measurement with the shortest round trip. */
const makeMeasured = Effect.fnUntraced(function* (counter: () => number) {
  const sql = yield* SqlClient.SqlClient
  const measure = Effect.gen(function* () {
    const sentAt = counter()
    const [row] = yield* times.all(sql`select ${times.columns}`)
    return { remoteMillis: row!.now, sentAt, receivedAt: counter() }
  })
  return Effect.map(Effect.replicateEffect(measure, measurements), (all): CarriedTime.Measurement =>
    all.reduce((best, next) => (lengthOf(next) < lengthOf(best) ? next : best))
  )
})

const lengthOf = ({ receivedAt, sentAt }: CarriedTime.Measurement): number => receivedAt - sentAt

const times = Table.selection({
  now: { schema: Schema.Number, expression: "(extract(epoch from clock_timestamp()) * 1000)::float8" }
})

/** Makes a clock that returns this time. Sleeping and the monotonic time use the node's own clock. */
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
/** Error in milliseconds above which a correction is logged, because a clock was set or a machine was paused. */
const loggedMillis = 500
