/** Start of every process. A failed start prints one line for each reason, and a requested stop exits with 0. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { release } from "@venue/api/Release"
import { Cause, Effect, type Scope } from "effect"
import { setMaxListeners } from "node:events"
import * as LogSettings from "./LogSettings.ts"
import * as NodeLog from "./NodeLog.ts"
import * as ProcessEnd from "./ProcessEnd.ts"
import { expect } from "./SettingRefused.ts"
import * as StartFailure from "./StartFailure.ts"

export interface StartOptions {
  /** Maximum duration of a stop. */
  readonly stopMillis?: number
  /** First line of output. Omitted if empty. */
  readonly firstLine?: string
  /** True for a program that a person runs: its output is text, whatever the settings. */
  readonly isTool?: boolean
}

/** First line that every venue process logs. */
export const starting = `starting release ${release}`

export const run = <E>(
  app: Effect.Effect<void, E, NodeServices.NodeServices | Scope.Scope>,
  { firstLine = starting, isTool = false, stopMillis }: StartOptions = {}
): void => {
  const life = (firstLine === "" ? Effect.void : NodeLog.announce(firstLine)).pipe(
    Effect.andThen(app),
    Effect.scoped,
    Effect.tapCause(announced)
  )
  const settings = Effect.gen(function* () {
    const stopSeconds = yield* ProcessEnd.limit
    yield* expect("VENUE_STOP_SECONDS", stopSeconds >= 1 && stopSeconds <= 3_600, "1 to 3600")
    ProcessEnd.setLimit(stopSeconds)
    return yield* LogSettings.load
  }).pipe(Effect.catchTag("ConfigError", (error) => Effect.fail(StartFailure.refusalOf(error))))
  const main = Effect.suspend(() => (isTool ? Effect.succeed(ofTool) : settings)).pipe(
    Effect.tapCause(announced),
    Effect.flatMap((log) => Effect.provide(life, NodeLog.layer(log))),
    Effect.withTracerEnabled(false),
    Effect.provide(NodeServices.layer)
  )
  setMaxListeners(waitingOnOneSocket)
  ProcessEnd.watch(stopMillis)
  NodeRuntime.runMain(main, { disableErrorReporting: true, teardown: ProcessEnd.teardown })
}

const ofTool = { format: "text", level: "warn" } as const

const announced = (cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Effect.forEach(StartFailure.linesOf(cause), NodeLog.announceFailure, { discard: true })

/**
 * Maximum listeners on one socket. A response that waits for a full socket to drain adds a listener and removes it
 * afterwards. One listener per in-flight call between two nodes is not a leak, although Node warns above ten.
 */
const waitingOnOneSocket = 1_000
