/** Embedded server: real starts, stops and kills. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as EmbeddedPostgres from "../../../../apps/dev/postgres/EmbeddedPostgres.ts"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const isRoot = process.getuid?.() === 0

/**
 * Returns a temporary folder, which is deleted later. Also deletes the folder of the database files if it is
 * elsewhere.
 */
const folder = (mode: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const made = mkdtempSync(join(tmpdir(), "venue-embedded-"))
      chmodSync(made, mode)
      return made
    }),
    (made) =>
      Effect.sync(() => {
        if (existsSync(join(made, "postgres.json"))) rmSync(homeOf(made), { recursive: true, force: true })
        rmSync(made, { recursive: true, force: true })
      })
  )

const rememberedOf = (dataDir: string): { readonly directory: string; readonly port: number } =>
  JSON.parse(readFileSync(join(dataDir, "postgres.json"), "utf8"))

const homeOf = (dataDir: string): string => resolve(dataDir, rememberedOf(dataDir).directory)

const socketOf = (dataDir: string): string => `.s.PGSQL.${rememberedOf(dataDir).port}`

const pidOf = (dataDir: string): number =>
  Number(readFileSync(join(homeOf(dataDir), "data", "postmaster.pid"), "utf8").split("\n")[0])

const start = (dataDir: string, steps: Array<string> = []) =>
  EmbeddedPostgres.start({
    dataDir,
    log: (step) => Effect.sync(() => steps.push(step)),
    settings: { fsync: "off" }
  })

const ask = (url: Redacted.Redacted, statement: string) =>
  Effect.scoped(Effect.flatMap(PgClient.makeClient({ url }), (sql) => sql.unsafe<object>(statement))).pipe(
    Effect.provide(Reactivity.layer)
  )

const cameBySocket = "select inet_client_addr() is null as local"

/** Returns the URL up to `mark`. */
const without = (url: Redacted.Redacted, mark: string) => Redacted.make(Redacted.value(url).split(mark)[0]!)

/** Starts another venue in its own process and waits until it is ready. */
const venue = (dataDir: string, uid?: number) =>
  Effect.acquireRelease(
    Effect.callback<ChildProcess, Error>((resume) => {
      const child = spawn(process.execPath, [join(import.meta.dirname, "EmbeddedVenue.ts"), dataDir], {
        stdio: ["ignore", "pipe", "pipe"],
        ...(uid === undefined ? {} : { uid, gid: uid })
      })
      let output = ""
      child.stderr.on("data", (text) => (output += String(text)))
      child.stdout.once("data", () => resume(Effect.succeed(child)))
      child.once("exit", () => resume(Effect.fail(new Error(output))))
    }),
    (child) => stop(child, "SIGTERM")
  )

const stop = (child: ChildProcess, signal: "SIGTERM" | "SIGKILL") =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill(signal)
  })

/** Waits until the parent has become `sleep`, because the shell would reap an exited child. */
const untilItSleeps = 'while [ "$(cat /proc/$PPID/comm)" != sleep ]; do sleep 0.01; done'

/** Returns the id of a zombie process of this user, whose parent is still running. */
const unreaped = (uid: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn("/bin/sh", ["-c", `sh -c '${untilItSleeps}' & echo $!; exec sleep 60`], {
        stdio: ["ignore", "pipe", "ignore"],
        ...(isRoot ? { uid } : {})
      })
    ),
    (parent) => stop(parent, "SIGKILL")
  ).pipe(
    Effect.flatMap((parent) =>
      Effect.callback<number>((resume) => {
        parent.stdout!.once("data", (text) => resume(Effect.succeed(Number(text))))
      })
    ),
    Effect.tap((pid) =>
      Effect.repeat(Effect.sleep("10 millis"), { until: () => /\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8")) })
    )
  )

/** A zombie has no command line. */
const isAlive = (pid: number): boolean => {
  const file = `/proc/${pid}/cmdline`
  return existsSync(file) && readFileSync(file, "utf8") !== ""
}

describe.runIf(process.platform === "linux")("the embedded server", { timeout: 900_000 }, () => {
  it.live("reads the last run's data on the same port, and leaves no process running after a stop", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* start(dataDir)
          yield* ask(url, "create table kept as select 7 as n")
          return { url, pid: pidOf(dataDir) }
        })
      )
      assert.isFalse(isAlive(first.pid))
      const { url } = yield* start(dataDir)
      assert.deepStrictEqual(url, first.url)
      assert.deepStrictEqual(yield* ask(url, "select n from kept"), [{ n: 7 }])
    })
  )

  it.live("flushes each commit to disk unless a test turns this off", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      const { url } = yield* EmbeddedPostgres.start({ dataDir, log: () => Effect.void })
      const rows = yield* ask(
        url,
        "select setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')"
      )
      assert.deepStrictEqual(
        rows.map((row) => Object.values(row)[0]),
        ["on", "on", "on"]
      )
    })
  )

  it.live("accepts database sessions over a private socket or the port, but only with the password", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      const { url } = yield* start(dataDir)
      const byPort = without(url, "?")
      assert.deepStrictEqual(yield* ask(url, cameBySocket), [{ local: true }])
      assert.deepStrictEqual(yield* ask(byPort, cameBySocket), [{ local: false }])
      const socket = join(homeOf(dataDir), `.s.PGSQL.${rememberedOf(dataDir).port}`)
      assert.deepStrictEqual([statSync(homeOf(dataDir)).mode & 0o777, statSync(socket).mode & 0o777], [0o700, 0o700])
      for (const way of [url, byPort]) {
        const wrong = Redacted.make(Redacted.value(way).replace(/:[^:@/]+@/, ":wrong@"))
        const refused = yield* Effect.flip(ask(wrong, cameBySocket))
        assert.strictEqual(refused.reason._tag, "AuthenticationError")
      }
    })
  )

  it.live("listens only on the port if the folder's path is too long for a socket", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* folder(0o755), "d".repeat(60))
      const { url } = yield* start(dataDir)
      assert.deepStrictEqual(url, without(url, "?"))
      assert.deepStrictEqual(yield* ask(url, cameBySocket), [{ local: false }])
    })
  )

  it.live("takes over the database server of a killed venue, with all committed rows", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      const killed = yield* venue(dataDir)
      const orphan = pidOf(dataDir)
      yield* stop(killed, "SIGKILL")
      const steps: Array<string> = []
      const local = yield* Effect.scoped(Effect.flatMap(start(dataDir, steps), ({ url }) => ask(url, cameBySocket)))
      assert.deepStrictEqual(local, [{ local: true }])
      assert.deepStrictEqual(steps, ["Using the database server that an earlier run left running"])
      assert.isFalse(isAlive(orphan), "and an adopted server stops with its new venue")
    })
  )

  it.live("starts immediately after a venue and its database server were killed together", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      const killed = yield* venue(dataDir)
      process.kill(pidOf(dataDir), "SIGKILL")
      killed.kill("SIGKILL")
      const { url } = yield* start(dataDir)
      assert.deepStrictEqual(yield* ask(url, "select 1 as n"), [{ n: 1 }])
    })
  )

  it.live("stops the venue and its database server on SIGTERM", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      const running = yield* venue(dataDir)
      const pid = pidOf(dataDir)
      yield* stop(running, "SIGTERM")
      assert.isFalse(isAlive(pid))
    })
  )

  it.live("refuses a second venue on the same data directory, and does not disturb the first venue", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      const { url } = yield* start(dataDir)
      const refused = yield* Effect.flip(Effect.scoped(start(dataDir)))
      assert.match(refused.message, /another venue is running/)
      assert.deepStrictEqual(yield* ask(url, "select 1 as n"), [{ n: 1 }])
    })
  )

  it.live("does not stop an unrelated process that has the recorded process id", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      yield* Effect.scoped(start(dataDir))
      const stranger = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])),
        (child) => Effect.sync(() => child.kill())
      )
      const { directory, port } = rememberedOf(dataDir)
      const text = `${stranger.pid}\n${homeOf(dataDir)}/data\n0\n1\n\n\n0 0\nready\n`
      writeFileSync(join(homeOf(dataDir), "data", "postmaster.pid"), text)
      const lock = join(resolve(dataDir, directory), `.s.PGSQL.${port}.lock`)
      writeFileSync(lock, text)
      if (isRoot) chownSync(lock, statSync(homeOf(dataDir)).uid, -1)
      const { url } = yield* start(dataDir)
      assert.deepStrictEqual(yield* ask(url, "select 1 as n"), [{ n: 1 }])
      assert.strictEqual(stranger.exitCode, null)
    })
  )

  it.live("starts even if the killed database server is still a zombie process", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder(0o755)
      yield* Effect.scoped(start(dataDir))
      const dead = yield* unreaped(statSync(homeOf(dataDir)).uid)
      const data = join(homeOf(dataDir), "data")
      const text = `${dead}\n${data}\n0\n${rememberedOf(dataDir).port}\n${homeOf(dataDir)}\n127.0.0.1\n0 0\nready\n`
      for (const file of [join(data, "postmaster.pid"), `${join(homeOf(dataDir), socketOf(dataDir))}.lock`]) {
        writeFileSync(file, text)
        if (isRoot) chownSync(file, statSync(homeOf(dataDir)).uid, -1)
      }
      const { url } = yield* start(dataDir)
      assert.deepStrictEqual(yield* ask(url, "select 1 as n"), [{ n: 1 }])
    })
  )

  it.live.runIf(isRoot)("if started by root, runs the database server as another user", () =>
    Effect.gen(function* () {
      const closed = join(yield* folder(0o700), "data")
      const pid = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* start(closed)
          yield* ask(url, "create table kept as select 7 as n")
          assert.notStrictEqual(statSync(`/proc/${pidOf(closed)}`).uid, 0)
          return pidOf(closed)
        })
      )
      assert.isFalse(isAlive(pid))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(homeOf(closed), { recursive: true })))
      assert.isFalse(homeOf(closed).startsWith(closed))
      const { url } = yield* start(closed)
      assert.deepStrictEqual(yield* ask(url, "select n from kept"), [{ n: 7 }])
    })
  )

  it.live.runIf(isRoot && canRunAs(65_534))(
    "if started by an ordinary user, runs the database server as that user, in a private folder",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* folder(0o700)
        chownSync(dataDir, 65_534, 65_534)
        const running = yield* venue(dataDir, 65_534)
        assert.strictEqual(statSync(`/proc/${pidOf(dataDir)}`).uid, 65_534)
        yield* stop(running, "SIGTERM")
      })
  )
})

/** The other user might have no access to the checkout. */
function canRunAs(uid: number): boolean {
  return isRoot && spawnSync(process.execPath, ["--version"], { uid, gid: uid }).status === 0
}
