/** A test run's database server, started before the first test that needs it, stopped and removed after the run. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Migrations from "@venue/postgres/Migrations"
import * as EmbeddedPostgres from "../apps/dev/postgres/EmbeddedPostgres.ts"
import * as PostgresHome from "../apps/dev/postgres/PostgresHome.ts"
import * as Postmaster from "../apps/dev/postgres/Postmaster.ts"
import { Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgresUrl: string
    /** Name of a database with every migration's tables and no rows. */
    readonly postgresTemplate: string
  }
}

const prefix = "venue-test-postgres-"

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await Effect.runPromise(removeOld)
  const dataDir = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  chmodSync(dataDir, 0o755)
  const { url } = await Effect.runPromise(
    EmbeddedPostgres.start({ dataDir, log: quiet, settings }).pipe(Scope.provide(scope))
  )
  await Effect.runPromise(makeTemplate(url))
  project.provide("postgresUrl", Redacted.value(url))
  project.provide("postgresTemplate", template)
  const stop = await Effect.runPromise(stopping(dataDir))
  process.once("exit", stop)
  return () => {
    process.removeListener("exit", stop)
    return Effect.runPromise(Effect.andThen(Scope.close(scope, Exit.void), discard(dataDir)))
  }
}

const template = "venue_tables"

/** Migrates once: each test's database is a copy of the template, which takes a fifth of a migration's time. */
const makeTemplate = Effect.fnUntraced(
  function* (server: Redacted.Redacted) {
    const admin = yield* PgClient.makeClient({ url: server })
    yield* admin`create database ${admin(template)}`
    const url = new URL(Redacted.value(server))
    url.pathname = `/${template}`
    yield* Layer.build(Layer.provide(Migrations.layer, PgClient.layer({ url: Redacted.make(url.href) })))
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

const scope = Scope.makeUnsafe()

/** Skips fsync, because no test cuts the power. Commits are still acknowledged in order. */
const settings = { fsync: "off", max_connections: "300" }

const quiet = () => Effect.void

/**
 * Returns a handler that stops the server if Ctrl-C ends the run before its teardown. The next run removes the
 * folder.
 */
const stopping = Effect.fnUntraced(function* (dataDir: string) {
  const server = yield* Effect.flatMap(PostgresHome.open(dataDir, quiet), Postmaster.find)
  const { pid } = yield* Effect.fromOption(server)
  return () => process.kill(pid, "SIGINT")
})

/** Stops servers left by killed test runs. A folder's name contains its run's process id. */
const removeOld = Effect.suspend(() => {
  const owner = (name: string) => Number(name.slice(prefix.length).split("-")[0])
  const abandoned = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix) && !isAlive(owner(name)))
  return Effect.forEach(abandoned, (name) => discard(join(tmpdir(), name)), { discard: true })
})

const discard = Effect.fnUntraced(
  function* (dataDir: string) {
    if (existsSync(join(dataDir, "postgres.json"))) {
      const home = yield* PostgresHome.open(dataDir, quiet)
      const server = yield* Postmaster.find(home)
      if (Option.isSome(server)) yield* Postmaster.end(home, server.value.pid)
      rmSync(home.directory, { recursive: true, force: true })
    }
    rmSync(dataDir, { recursive: true, force: true })
  },
  (discarding) => Effect.ignore(discarding)
)

/** Returns whether the process exists. EPERM means that it belongs to another user. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
