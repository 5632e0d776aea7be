/** How any process of a venue starts: what ends the start is said in one line, and a stop that was asked for is a success. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { release } from "@venue/api/Release"
import { Cause, Console, Effect, Layer, References, type Scope } from "effect"
import { setMaxListeners } from "node:events"
import * as NodeLog from "./NodeLog.ts"
import * as ProcessEnd from "./ProcessEnd.ts"
import * as StartFailure from "./StartFailure.ts"

export interface StartOptions {
  /** It stops within so long, whatever hangs. */
  readonly stopMillis?: number
  /** What is said first; nothing when empty. */
  readonly words?: string
}

/** First line of a process of the venue. */
export const starting = `venue: starting release ${release}`

export const run = <E>(
  app: Effect.Effect<void, E, NodeServices.NodeServices | Scope.Scope>,
  { stopMillis, words = starting }: StartOptions = {}
): void => {
  const main = (words === "" ? Effect.void : Console.log(words)).pipe(
    Effect.andThen(app),
    Effect.scoped,
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`venue: ${StartFailure.said(cause)}`)
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
 * Every answer that waits until a full socket takes bytes again listens to it, and stops listening when it has: as many as
 * calls are in flight between two nodes are no leak, though Node calls more than ten one.
 */
const waitingOnOneSocket = 1_000
