/** Start of every process. A failed start prints one line, and a requested stop exits with 0. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { release } from "@venue/api/Release"
import { Cause, Console, Effect, Layer, References, type Scope } from "effect"
import { setMaxListeners } from "node:events"
import * as NodeLog from "./NodeLog.ts"
import * as ProcessEnd from "./ProcessEnd.ts"
import * as StartFailure from "./StartFailure.ts"

export interface StartOptions {
  /** Maximum duration of a stop. */
  readonly stopMillis?: number
  /** First line of output. Omitted if empty. */
  readonly firstLine?: string
}

/** First line that every venue process logs. */
export const starting = `venue: starting release ${release}`

export const run = <E>(
  app: Effect.Effect<void, E, NodeServices.NodeServices | Scope.Scope>,
  { stopMillis, firstLine = starting }: StartOptions = {}
): void => {
  const main = (firstLine === "" ? Effect.void : Console.log(firstLine)).pipe(
    Effect.andThen(app),
    Effect.scoped,
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`venue: ${StartFailure.messageOf(cause)}`)
    ),
    Effect.withTracerEnabled(false),
    Effect.provide(NodeServices.layer),
    Effect.provide(Layer.merge(NodeLog.layer, Layer.succeed(References.MinimumLogLevel, "Warn")))
  )
  setMaxListeners(waitingOnOneSocket)
  ProcessEnd.watch(stopMillis)
  NodeRuntime.runMain(main, { disableErrorReporting: true, teardown: ProcessEnd.teardown })
}

/**
 * Maximum listeners on one socket. A response that waits for a full socket to drain adds a listener and removes it
 * afterwards. One listener per in-flight call between two nodes is not a leak, although Node warns above ten.
 */
const waitingOnOneSocket = 1_000
