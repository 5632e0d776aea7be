/**
 * Rail entity. Polls for due actions on deposits and withdrawals, and polls immediately when woken. It holds no
 * state: every change is a compare-and-set in the database, so a second owner does no harm.
 */
import { RailName } from "@venue/domain/Rail"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { Effect, Queue, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rail } from "../../protocol/Rail.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as Holdings from "./Holdings.ts"
import * as Look from "./Look.ts"
import * as RailMetrics from "./RailMetrics.ts"
import * as Sweeping from "./Sweeping.ts"

export const RailLayer = Rail.toLayer(
  Effect.gen(function* () {
    const { entityId } = yield* Entity.CurrentAddress
    const provider = (yield* RailProviders).get(Schema.decodeUnknownSync(RailName)(entityId))
    const woken = yield* Queue.sliding<void>(1)
    // A node on another release might wake a rail that is not connected here.
    if (provider !== undefined) {
      yield* Effect.forkScoped(Effect.andThen(Look.make(provider), (look) => run(look, woken)))
      yield* Effect.forkScoped(Sweeping.run(provider))
      yield* Effect.forkScoped(Holdings.run(provider))
      yield* RailMetrics.collect(provider)
    }
    return Rail.of({ Wake: () => Effect.asVoid(Queue.offer(woken, undefined)) })
  }),
  { maxIdleTime: "365 days" }
)

/** Polls forever. While the rail does not respond, the interval doubles up to 60 s. */
const run = Effect.fnUntraced(function* (look: Effect.Effect<boolean>, woken: Queue.Dequeue<void>) {
  const { railPollMillis } = yield* VenueSettings
  let waitMillis = railPollMillis
  while (true) {
    waitMillis = (yield* look) ? railPollMillis : Math.min(waitMillis * 2, Math.max(longestWaitMillis, railPollMillis))
    yield* Effect.timeoutOption(Queue.take(woken), waitMillis)
  }
})

const longestWaitMillis = 60_000
