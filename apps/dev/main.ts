/** Everything in one process: `npm start`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, References, Runtime } from "effect"
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

// A line that a full disk or a closed pipe does not take is lost, and no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

let isAskedToStop = false
process.once("SIGTERM", () => {
  isAskedToStop = true
})

/** A stop that was asked for is a success; Ctrl-C is told from it by 130, as shells expect. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  isAskedToStop && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

NodeRuntime.runMain(main, { disableErrorReporting: true, teardown })
