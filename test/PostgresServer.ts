/** The one database server of a test run: started before the tests that need it, gone after them. */
import * as EmbeddedPostgres from "../apps/dev/postgres/EmbeddedPostgres.ts"
import * as PostgresHome from "../apps/dev/postgres/PostgresHome.ts"
import * as Postmaster from "../apps/dev/postgres/Postmaster.ts"
import { Effect, Exit, Option, Redacted, Scope } from "effect"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgresUrl: string
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
  project.provide("postgresUrl", Redacted.value(url))
  const abandon = await Effect.runPromise(abandoning(dataDir))
  process.once("exit", abandon)
  return () => {
    process.removeListener("exit", abandon)
    return Effect.runPromise(Effect.andThen(Scope.close(scope, Exit.void), discard(dataDir)))
  }
}

const scope = Scope.makeUnsafe()

/** No test pulls the plug of the machine, so the disk need not be waited for; commits are still acknowledged in order. */
const settings = { fsync: "off", max_connections: "300" }

const quiet = () => Effect.void

/** Ctrl-C ends a test run without calling what tears it down; its folder is left to the next run. */
const abandoning = Effect.fnUntraced(function* (dataDir: string) {
  const server = yield* Effect.flatMap(PostgresHome.open(dataDir, quiet), Postmaster.find)
  const { pid } = yield* Effect.fromOption(server)
  return () => process.kill(pid, "SIGINT")
})

/** Ends what a killed test run left behind: its folder is named for a process that is no more. */
const removeOld = Effect.suspend(() => {
  const owner = (name: string) => Number(name.slice(prefix.length).split("-")[0])
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix) && !isAlive(owner(name)))
  return Effect.forEach(left, (name) => discard(join(tmpdir(), name)), { discard: true })
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

/** Signal 0 asks and does nothing; a process of another user counts as alive. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
