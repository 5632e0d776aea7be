/**
 * A process's log output. While the database is slow, the cluster library logs every lock with a stack trace; such a
 * message becomes one line, at most every 10 s. Other messages are unchanged.
 */
import { Cause, type Layer, Logger } from "effect"

/** Returns a logger that shortens the cluster library's lock messages. */
export const make = (): Logger.Logger<unknown, void> => {
  const loggedAtMillis = new Map<string, number>()
  return Logger.make((options) => {
    const words: ReadonlyArray<unknown> = Array.isArray(options.message) ? options.message : [options.message]
    const message = ofLocks.find((known) => words.includes(known))
    if (message === undefined) return Logger.defaultLogger.log(options)
    const nowMillis = options.date.getTime()
    const lastMillis = loggedAtMillis.get(message) ?? -Infinity
    if (Math.abs(nowMillis - lastMillis) < silenceMillis) return
    loggedAtMillis.set(message, nowMillis)
    line.log({ ...options, message: `${message}${why(options.cause)}` })
  })
}

export const layer: Layer.Layer<never> = Logger.layer([make()])

/** Lock messages from `effect/cluster/Sharding`. Each comes from a loop that continues, and adds no information. */
export const ofLocks: ReadonlyArray<string> = [
  "Could not acquire/release shards",
  "Could not release shards, retrying",
  "Forced shard release is still pending; reacquisition is blocked until release completes",
  "Shard lock storage is unhealthy",
  "Shard lock storage is still unhealthy"
]

const silenceMillis = 10_000

const line = Logger.withConsoleLog(
  Logger.make<string, string>(
    ({ date, logLevel, message }) =>
      `[${date.toISOString().slice(11, 23)}] ${logLevel.toUpperCase()} cluster: ${message}`
  )
)

/** Returns the innermost error's message, which has the reason. */
const why = (cause: Cause.Cause<unknown>): string => {
  if (cause.reasons.length === 0) return ""
  let error = Cause.squash(cause)
  while (error instanceof Error && error.cause instanceof Error) error = error.cause
  return error instanceof Error ? `: ${error.message}` : ""
}
