/** Everything in one process: `npm start`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, References } from "effect"
import * as Dev from "./Dev.ts"
import { Settings } from "./Settings.ts"

const main = Effect.gen(function* () {
  yield* Console.log("venue: starting")
  const settings = yield* Settings
  yield* Dev.run(settings)
}).pipe(
  Effect.scoped,
  Effect.tapError((error) => Console.error(`venue: ${"message" in error ? error.message : String(error)}`)),
  Effect.withTracerEnabled(false),
  Effect.provide(NodeServices.layer),
  Effect.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
)

NodeRuntime.runMain(main, { disableErrorReporting: true })
