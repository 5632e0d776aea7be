/** Everything in one process: `npm start`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Layer, References } from "effect"
import * as Dev from "./Dev.ts"
import * as ProcessEnd from "./ProcessEnd.ts"
import { Settings } from "./Settings.ts"
import * as StartFailure from "./StartFailure.ts"

const main = Effect.gen(function* () {
  yield* Console.log("venue: starting")
  const settings = yield* Effect.mapError(Settings, StartFailure.refusalOf)
  yield* Dev.run(settings)
}).pipe(
  Effect.scoped,
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`venue: ${StartFailure.said(cause)}`)
  ),
  Effect.withTracerEnabled(false),
  Effect.provide(NodeServices.layer),
  Effect.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
)

ProcessEnd.watch()
NodeRuntime.runMain(main, { disableErrorReporting: true, teardown: ProcessEnd.teardown })
