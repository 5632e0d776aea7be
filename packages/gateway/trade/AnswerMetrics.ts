/** Measures and traces commands from their arrival at this gateway to their last reply. */
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as Orders from "@venue/telemetry/catalogue/Orders"
import * as Meter from "@venue/telemetry/Meter"
import { Traces } from "@venue/telemetry/Traces"
import { Clock, Effect } from "effect"
import * as CommandHandler from "./CommandHandler.ts"
import type { PendingRequest } from "./ReplyQueue.ts"

/** The time of arrival follows from the due time, so a command carries no further state. */
export const make = Effect.gen(function* () {
  const { commandExpiryMillis } = yield* VenueSettings
  const clock = yield* Clock.Clock
  const seconds = yield* Meter.histogram(Orders.orderSeconds, { step: "answer" })
  const traces = yield* Traces
  const unknown = yield* Meter.counter(Orders.ordersUnknown, {})
  const allowedMillis = commandExpiryMillis + CommandHandler.graceMillis
  return {
    answered: ({ commandId, dueMillis }: PendingRequest): void => {
      // Queries and entries of a reply barrier have no due time.
      if (dueMillis === Infinity) return
      const arrivedMillis = dueMillis - allowedMillis
      seconds((clock.currentTimeMillisUnsafe() - arrivedMillis) / 1_000)
      if (traces === undefined || !traces.isSampled(commandId)) return
      const startNanos = BigInt(arrivedMillis) * 1_000_000n
      traces.record({ commandId, step: "gateway", startNanos, endNanos: clock.currentTimeNanosUnsafe() })
    },
    givenUp: () => unknown()
  }
})
