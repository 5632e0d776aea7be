/** Metrics of the feed: age of each market's newest row, and the delay from decision to arrival. */
import * as Orders from "@venue/telemetry/catalogue/Orders"
import * as Storage from "@venue/telemetry/catalogue/Storage"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect, Layer } from "effect"
import { VenueSettings } from "../VenueSettings.ts"
import { Feed } from "./Feed.ts"

export const layer: Layer.Layer<never, never, Feed> = Layer.effectDiscard(
  Effect.gen(function* () {
    const feed = yield* Feed
    const clock = yield* Clock.Clock
    const { instruments } = yield* VenueSettings
    const seconds = yield* Meter.histogram(Orders.orderSeconds, { step: "feed" })
    yield* Meter.collect(Storage.feedAge, () =>
      Array.from(instruments.keys(), (symbol) => {
        const aliveAtMillis = feed.head(symbol)?.aliveAtMillis
        return [{ symbol }, Meter.ageSeconds(clock.currentTimeMillisUnsafe(), aliveAtMillis)] as const
      })
    )
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        feed.watch(({ events }) => {
          const last = events.at(-1)
          if (last === undefined || !("atMillis" in last)) return
          seconds(Math.max(0, clock.currentTimeMillisUnsafe() - last.atMillis) / 1_000)
        })
      ),
      (stop) => Effect.sync(stop)
    )
  })
)
