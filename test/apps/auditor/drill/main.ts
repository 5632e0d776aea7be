/**
 * `npm run audit-drill`: repeatedly changes one unit in the database of a trading venue; the auditor must report each
 * change within ten seconds.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Reactivity from "effect/reactivity/Reactivity"
import { startAuditor } from "../../../bench/AuditorBeside.ts"
import { median, say } from "../../../bench/Report.ts"
import { startServer } from "../../../bench/VenueProcess.ts"
import * as Random from "../../../chaos/Random.ts"
import { type Change, kinds } from "../Changes.ts"
import * as LiveDesk from "../LiveDesk.ts"
import { type Audited, recovered, seen, seenWithinMillis } from "./AuditedMode.ts"
import * as DrillVenue from "./DrillVenue.ts"

const live = "a balance in the memory of a desk"

const stop = (problem: string): never => {
  say(problem)
  process.exit(2)
}

const wholeFrom = (name: string, given: string, least: number): number =>
  Number.isInteger(Number(given)) && Number(given) >= least
    ? Number(given)
    : stop(`--${name} is a whole number from ${least} on`)

const { values } = parseArgs({
  options: {
    tries: { type: "string", default: "100" },
    seed: { type: "string", default: "7" },
    only: { type: "string", default: "" }
  }
})
const tries = wholeFrom("tries", values.tries, 1)
const seed = wholeFrom("seed", values.seed, 0)
const names = [...Object.keys(kinds), live].filter((name) => name.includes(values.only))
if (names.length === 0) stop(`--only names a part of one of: ${[...Object.keys(kinds), live].join("; ")}`)

/** Milliseconds to detection of each attempt, by kind; undefined for a missed change. */
const attempts = new Map(names.map((name) => [name, [] as Array<number | undefined>]))
let restarts = 0

const folder = mkdtempSync(join(tmpdir(), "venue-drill-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130))

const attempt = Effect.fnUntraced(function* (
  kind: string,
  audited: Audited,
  change: Effect.Effect<Change | undefined, SqlError>
) {
  for (let left = mostDraws; left > 0; left--) {
    const done = yield* change
    if (done === undefined) break
    const millis = yield* seen(audited, done.name)
    const isReplaced = millis === undefined && !(yield* done.stands)
    if (!isReplaced) attempts.get(kind)!.push(millis)
    const how = isReplaced ? "its owner saved it anew before an audit, drawn again" : "UNSEEN"
    say(`${kind}: ${millis === undefined ? how : `${(millis / 1_000).toFixed(2)} s`} (${done.what})`)
    yield* done.undo
    if (yield* recovered(audited)) restarts++
    if (!isReplaced) return
  }
  return yield* Effect.die(new Error(`the venue has nothing of the kind: ${kind}`))
})

/** Maximum number of changes to try, if a saved state is overwritten before its change is detected. */
const mostDraws = 5

const drill = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => startServer(folder)),
    (venue) => Effect.promise(() => venue.stop())
  )
  const desk = yield* LiveDesk.make(Redacted.make(server.anchorUrl))
  const beside = { auditor: yield* Effect.promise(() => startAuditor(server.anchorUrl)) }
  yield* Effect.addFinalizer(() => Effect.promise(() => beside.auditor.stop()))
  const ofDesk: Audited = {
    sql: desk.sql,
    step: (to) =>
      Effect.match(desk.modes.resume(to, { by: "drill", reason: "put back" }), {
        onSuccess: () => true,
        onFailure: () => false
      }),
    restartAuditor: Effect.promise(async () => {
      await beside.auditor.stop()
      beside.auditor = await startAuditor(server.anchorUrl)
    })
  }
  const venue = yield* Effect.acquireRelease(
    Effect.promise(() => DrillVenue.start(folder, server.url, say)),
    (venue) => Effect.promise(() => venue.stop())
  )
  const sql = yield* PgClient.makeClient({ url: Redacted.make(server.url) })
  const ofVenue: Audited = { sql, step: venue.step, restartAuditor: venue.restartAuditor }

  const random = Random.make(seed, "drill")
  const drawn = Array.from({ length: tries }, (_, index) => [random.next(), names[index % names.length]!] as const)
  for (const [, kind] of drawn.toSorted(([a], [b]) => a - b)) {
    const inVenue = kinds[kind]
    yield* inVenue === undefined
      ? attempt(
          kind,
          ofDesk,
          Effect.sync(() => desk.change(random))
        )
      : attempt(kind, ofVenue, inVenue(sql, random))
  }
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

const failure = await Effect.runPromise(drill).then(
  () => undefined,
  (error: unknown) => error
)

const seconds = (millis: number): string => (millis / 1_000).toFixed(2)
say(`\n| changed by one unit | tries | missed | median, s | worst, s |\n| --- | --- | --- | --- | --- |`)
for (const [kind, all] of attempts) {
  const times = all.filter((millis) => millis !== undefined)
  const figures = times.length === 0 ? ["-", "-"] : [seconds(median(times)), seconds(Math.max(...times))]
  say(`| ${[kind, all.length, all.length - times.length, ...figures].join(" | ")} |`)
}
const all = [...attempts.values()].flat()
const times = all.filter((millis) => millis !== undefined)
const unseen = all.length - times.length
say(
  `seed ${seed}: ${times.length} of ${all.length} seen within ${seconds(seenWithinMillis)} s, ${times.filter((millis) => millis <= 3_000).length} within 3 s; ` +
    `the auditor was started again ${restarts} times, after it had read what was wrong`
)
if (failure !== undefined)
  say(`the drill itself failed: ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}`)
process.exit(failure === undefined && unseen === 0 && all.length === tries ? 0 : 1)
