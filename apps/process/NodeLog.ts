/**
 * Log of a process. Messages that repeat while the database is slow or while another node stops take one line, at most
 * every 10 s, without a stack. Other messages are complete.
 */
import { release } from "@venue/api/Release"
import { Cause, Clock, Console, Context, Effect, Formatter, Layer, Logger, References } from "effect"
import * as LogLine from "./LogLine.ts"
import type { levels } from "./LogSettings.ts"

export interface LogOptions {
  readonly format: "text" | "json"
  readonly level: (typeof levels)[number]
}

/** Format of this process's lines and its name, which is known once the settings are loaded. */
const output = { format: "text" as LogOptions["format"], node: "" }

/** Adds the process's name to all later JSON lines. */
export const identify = (node: string): void => void (output.node = node)

/** Sets the process's format and returns the layer of the logger with the minimum level. */
export const layer = ({ format, level }: LogOptions): Layer.Layer<never> => {
  output.format = format
  return Layer.merge(Logger.layer([make()]), Layer.succeed(References.MinimumLogLevel)(minimum[level]))
}

const minimum = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** Prints a step of the process's life, such as its start, whatever the minimum level. Text begins with `venue: `. */
export const announce = (message: string): Effect.Effect<void> =>
  Effect.flatMap(lifeLine("INFO", message), (line) => Console.log(line))

/** Prints the reason for which the process exits, whatever the minimum level. */
export const announceFailure = (message: string): Effect.Effect<void> =>
  Effect.flatMap(lifeLine("ERROR", message), (line) => Console.error(line))

const lifeLine = (level: "INFO" | "ERROR", message: string) =>
  Effect.map(Clock.currentTimeMillis, (nowMillis) =>
    output.format === "text"
      ? `venue: ${message}`
      : LogLine.json(
          { date: new Date(nowMillis), level, message, fields: {}, error: undefined },
          { ...output, release }
        )
  )

/** Returns a logger that shortens messages of the libraries. */
const make = (): Logger.Logger<unknown, void> => {
  const loggedAtMillis = new Map<string, number>()
  return Logger.make((options) => {
    const { cause, date, logLevel } = options
    const words: ReadonlyArray<unknown> = Array.isArray(options.message) ? options.message : [options.message]
    const known = ofLibraries.find(({ message }) => words.includes(message))
    if (known === undefined) return print(options.fiber, entryOf(options))
    const nowMillis = date.getTime()
    const lastMillis = loggedAtMillis.get(known.message) ?? -Infinity
    if (Math.abs(nowMillis - lastMillis) < silenceMillis) return
    loggedAtMillis.set(known.message, nowMillis)
    const message = `cluster: ${known.text ?? known.message}${why(cause)}`
    const level = (known.level ?? logLevel).toUpperCase()
    print(options.fiber, { date, level, message, fields: {}, error: undefined })
  })
}

/** Returns the entry of a message: its words joined by spaces, and its annotations and log spans as fields. */
const entryOf = (options: Logger.Options<unknown>): LogLine.Entry => {
  const { annotations, level, spans } = Logger.formatStructured.log(options)
  const words: ReadonlyArray<unknown> = Array.isArray(options.message) ? options.message : [options.message]
  const errors = words.filter((word) => word instanceof Error)
  const causes = [...errors.map((error) => Cause.fail(error)), options.cause].filter(
    ({ reasons }) => reasons.length > 0
  )
  return {
    date: options.date,
    level,
    message: words
      .filter((word) => !(word instanceof Error))
      .map(textOf)
      .join(" "),
    fields: { ...annotations, ...spans },
    error: causes.length === 0 ? undefined : causes.map((cause) => Cause.pretty(cause)).join("\n")
  }
}

const textOf = (word: unknown): string => (typeof word === "string" ? word : Formatter.formatJson(word))

const print = ({ context }: Logger.Options<unknown>["fiber"], entry: LogLine.Entry): void =>
  Context.get(context, Console.Console).log(
    output.format === "json" ? LogLine.json(entry, { ...output, release }) : LogLine.text(entry)
  )

interface LibraryMessage {
  readonly message: string
  /** Level in place of the library's. */
  readonly level?: "Warn"
  /** Text in place of the library's. */
  readonly text?: string
}

/**
 * Messages of the libraries that come from loops which continue, or from a node that stops: their stacks add no
 * information. The lock messages are from `effect/cluster/Sharding`, the other from the server for node traffic.
 */
export const ofLibraries: ReadonlyArray<LibraryMessage> = [
  { message: "Could not acquire/release shards" },
  { message: "Could not release shards, retrying" },
  { message: "Forced shard release is still pending; reacquisition is blocked until release completes" },
  { message: "Shard lock storage is unhealthy" },
  { message: "Shard lock storage is still unhealthy" },
  {
    message: "Unhandled error in SocketServer",
    level: "Warn",
    text: "another node closed its connection to this node"
  }
]

const silenceMillis = 10_000

/** Returns the message of the innermost error, which has the reason. */
const why = (cause: Cause.Cause<unknown>): string => {
  if (cause.reasons.length === 0) return ""
  let error = Cause.squash(cause)
  while (error instanceof Error && error.cause instanceof Error) error = error.cause
  return error instanceof Error ? `: ${error.message}` : ""
}
