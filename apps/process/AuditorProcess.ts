/** Auditor as a separate process beside a venue on this machine, restarted when it exits. */
import { isAudited } from "@venue/domain/VenueMode"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Clock, Effect, Redacted, Schedule } from "effect"
import { fileURLToPath } from "node:url"
import * as NodeProcess from "./NodeProcess.ts"

export interface AuditorProcessOptions {
  readonly databaseUrl: Redacted.Redacted
  /** Data directory, which distinguishes the processes of two venues. */
  readonly place: string
  readonly say: (text: string) => Effect.Effect<void>
}

/**
 * Starts the auditor, which runs until the scope closes. Returns the time of the last audit before the start, for
 * `audited`.
 */
export const keep = Effect.fnUntraced(function* ({ databaseUrl, place, say }: AuditorProcessOptions) {
  const { read } = yield* VenueModes
  const { auditedAtMillis } = yield* read
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const live = Effect.gen(function* () {
    const { ended } = yield* NodeProcess.launch({
      name: "auditor",
      program,
      place,
      environment: { VENUE_DATABASE_URL: Redacted.value(databaseUrl), VENUE_AUDITOR_HEALTH_PORT: "0" },
      onLine: (line) => void run(say(line.replace(/^venue: /, "").replace(/^(?!auditor)/, "auditor: ")))
    })
    const { how } = yield* ended
    yield* say(`the auditor exited (${how}) and is being restarted`)
  }).pipe(
    Effect.scoped,
    Effect.catchTag("NotLaunched", ({ reason }) => say(`the auditor could not be started: ${reason}`))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(live, Effect.sleep(pause))))
  return auditedAtMillis
})

/**
 * Waits for the first audit after `beforeMillis`, which enables withdrawals. Reading a long journal without a
 * checkpoint takes the auditor minutes. An earlier audit does not count, because it expires while the new auditor reads.
 */
export const audited = Effect.fnUntraced(function* (say: AuditorProcessOptions["say"], beforeMillis: number | null) {
  const { read } = yield* VenueModes
  const isOver = Effect.gen(function* () {
    const mode = yield* read
    return mode.auditedAtMillis !== beforeMillis && isAudited(mode, yield* Clock.currentTimeMillis)
  }).pipe(Effect.orElseSucceed(() => false))
  const waiting = say(
    "waiting for the first audit: the auditor reads the journal, and withdrawals are blocked until it is done"
  )
  yield* Effect.raceFirst(
    Effect.repeat(isOver, { until: (isSo) => isSo, schedule: Schedule.spaced(lookEvery) }),
    Effect.andThen(
      Effect.sleep(patience),
      Effect.andThen(Effect.repeat(waiting, Schedule.spaced(patience)), Effect.never)
    )
  )
})

const program = fileURLToPath(new URL("../auditor/main.ts", import.meta.url))
const pause = "1 second"
const lookEvery = "100 millis"
/** Time between two lines of output during the wait. */
const patience = "15 seconds"
