/** Everything in one process: `npm start`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { reasonOf } from "@venue/postgres/DatabaseOutage"
import { Cause, type Config, Console, Effect, Exit, Layer, References, Runtime } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { SettingRefused } from "./Access.ts"
import * as Dev from "./Dev.ts"
import { Settings } from "./Settings.ts"

/** What ended the start, in one line; whatever has no words of its own is told by its name. */
const said = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (isSqlError(error))
    return `the database cannot be used (${reasonOf(error)}); start it, or set VENUE_DATABASE_URL to one that runs`
  const { _tag, message } = error as { readonly _tag?: string; readonly message?: string }
  return message !== undefined && message !== "" ? message : (_tag ?? String(error))
}

/** What the library says of a setting, as the venue says what no type does. */
const refusalOf = ({ message }: Config.ConfigError) => {
  const [, fault = message, setting = "a setting"] = /^SchemaError\((.+)\n\s+at \["(\w+)"\]\)$/s.exec(message) ?? []
  const expected = setting.endsWith("_PORT") ? "a port, 1 to 65535" : fault.replace(/^Expected /, "")
  return new SettingRefused({ setting, expected })
}

const main = Effect.gen(function* () {
  yield* Console.log("venue: starting")
  const settings = yield* Effect.mapError(Settings, refusalOf)
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
