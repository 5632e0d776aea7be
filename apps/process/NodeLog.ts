/**
 * What a process logs. Where the database is slow for a second, the cluster library tells of every single lock, with a
 * stack: such a message is one line here, and is not repeated for a while. All else is logged as it is.
 */
import { Cause, type Layer, Logger } from "effect"

/** A logger that tells the library's messages in short. */
export const make = (): Logger.Logger<unknown, void> => {
  const toldAtMillis = new Map<string, number>()
  return Logger.make((options) => {
    const words: ReadonlyArray<unknown> = Array.isArray(options.message) ? options.message : [options.message]
    const message = ofLocks.find((known) => words.includes(known))
    if (message === undefined) return Logger.defaultLogger.log(options)
    const nowMillis = options.date.getTime()
    const lastMillis = toldAtMillis.get(message) ?? -Infinity
    if (Math.abs(nowMillis - lastMillis) < silenceMillis) return
    toldAtMillis.set(message, nowMillis)
    line.log({ ...options, message: `${message}${why(options.cause)}` })
  })
}

export const layer: Layer.Layer<never> = Logger.layer([make()])

/** As `effect/cluster/Sharding` words them. Each comes from a loop that goes on, and says no more than that it had to. */
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

/** The innermost error says what happened. */
const why = (cause: Cause.Cause<unknown>): string => {
  if (cause.reasons.length === 0) return ""
  let error = Cause.squash(cause)
  while (error instanceof Error && error.cause instanceof Error) error = error.cause
  return error instanceof Error ? `: ${error.message}` : ""
}
