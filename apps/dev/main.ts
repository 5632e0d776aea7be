/** Everything in one process: `npm start`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Layer, References } from "effect"
import * as Dev from "./Dev.ts"
import { Settings } from "./Settings.ts"

/** What ended the start, in one line; whatever has no words of its own is told by its name. */
const said = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const { _tag, message } = error as { readonly _tag?: string; readonly message?: string }
  return message !== undefined && message !== "" ? message : (_tag ?? String(error))
}

const main = Effect.gen(function* () {
  yield* Console.log("venue: starting")
  const settings = yield* Settings
  yield* Dev.run(settings)
}).pipe(
  Effect.scoped,
  Effect.tapCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`venue: ${said(cause)}`))),
  Effect.withTracerEnabled(false),
  Effect.provide(NodeServices.layer),
  Effect.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
)

NodeRuntime.runMain(main, { disableErrorReporting: true })
