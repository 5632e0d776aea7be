/** Files and user of the embedded server, recorded in `postgres.json`. */
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rmdir, stat, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { dirname, join, relative, resolve } from "node:path"
import { Effect, Option, Redacted, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { attempt, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { type Log, type Owner, reachable, run } from "./PostgresPrograms.ts"

export interface PostgresHome {
  /**
   * Directory of the server's files. It is outside the data directory if the server's user cannot enter that
   * directory.
   */
  readonly directory: string
  /** Data directory of Postgres. */
  readonly data: string
  /** Directory of `postgres` and `initdb`. */
  readonly programs: string
  /** The server's user, or undefined for this process's user. */
  readonly owner: Owner | undefined
  readonly port: number
  readonly password: Redacted.Redacted
}

/** Contents of `postgres.json` in the data directory. */
const Remembered = Schema.fromJsonString(
  Schema.Struct({ directory: Schema.String, port: Schema.Int, password: Schema.String })
)

/** Returns an earlier start's home, or creates one at the first start. */
export const open = Effect.fn("PostgresHome.open")(function* (dataDir: string, log: Log, isKnown = false) {
  const file = join(dataDir, "postgres.json")
  yield* attempt(`create ${dataDir}`, () => mkdir(dataDir, { recursive: true }))
  const text = yield* attempt(`read ${file}`, () => readFile(file, "utf8")).pipe(
    Effect.map(Option.some),
    Effect.catchIf(isMissing, () => Effect.succeedNone)
  )
  if (Option.isNone(text)) yield* refuseToBegin(file, isKnown)
  const remembered = Option.isSome(text)
    ? yield* attempt(`read ${file}`, () => Schema.decodeUnknownSync(Remembered)(text.value))
    : {
        directory: yield* makeDirectory(dataDir, log),
        port: yield* freePort(0),
        password: Buffer.from(SecureRandom.randomBytesUnsafe(24)).toString("base64url")
      }
  const directory = resolve(dataDir, remembered.directory)
  const owner = yield* ownerOf(directory)
  const home = {
    directory,
    data: join(directory, "data"),
    programs: yield* reachable(directory, owner, log),
    owner,
    port: remembered.port,
    password: Redacted.make(remembered.password)
  }
  if (Option.isNone(text)) yield* remember(dataDir, home)
  else if (isKnown) yield* ensureWhole(home)
  return home
})

const step = "use the database files"
const remedy = "restore the folder, or remove the whole data directory to start a new venue"

/**
 * Refuses to create a database where one existed. The old one cannot be opened without its password, and one in
 * another directory cannot be located.
 */
const refuseToBegin = Effect.fnUntraced(function* (file: string, isKnown: boolean) {
  const database = join(dirname(file), "postgres", "data")
  const isThere = yield* Effect.isSuccess(attempt(step, () => stat(database)))
  if (!isThere && !isKnown) return
  const reason = isThere
    ? `${file}, which contains the password of ${database}, is missing; ${remedy}`
    : `${file} is missing, although a venue was started here before; ${remedy}`
  return yield* new EmbeddedPostgresError({ step, reason })
})

/**
 * Checks the files that Postgres needs, because the message from Postgres is less clear and an empty database must
 * not replace a damaged one.
 */
const ensureWhole = Effect.fnUntraced(function* ({ data }: PostgresHome) {
  for (const part of ["PG_VERSION", "base", "global", "pg_wal"]) {
    const path = join(data, part)
    if (yield* Effect.isSuccess(attempt(step, () => stat(path)))) continue
    const reason = `${path} is missing; ${remedy}`
    return yield* new EmbeddedPostgresError({ step, reason })
  }
})

/** Returns the home with a free port, because another program might have taken the old one. */
export const ensurePort = Effect.fn("PostgresHome.ensurePort")(function* (dataDir: string, home: PostgresHome) {
  const port = yield* freePort(home.port).pipe(Effect.catch(() => freePort(0)))
  const moved = { ...home, port }
  if (port !== home.port) yield* remember(dataDir, moved)
  return moved
})

const isMissing = (error: EmbeddedPostgresError) =>
  Schema.is(Schema.Struct({ code: Schema.Literal("ENOENT") }))(error.cause)

const remember = (dataDir: string, home: PostgresHome) => {
  const file = join(dataDir, "postgres.json")
  const within = relative(dataDir, home.directory)
  const directory = within.startsWith("..") ? home.directory : within
  const text = JSON.stringify({ directory, port: home.port, password: Redacted.value(home.password) }, null, 2)
  return attempt(`write ${file}`, () =>
    writeFile(`${file}.new`, `${text}\n`, { mode: 0o600 }).then(() => rename(`${file}.new`, file))
  )
}

/**
 * Creates a directory that the server's user can enter: in the data directory if possible, otherwise in a public one.
 */
const makeDirectory = Effect.fnUntraced(function* (dataDir: string, log: Log) {
  const inside = join(dataDir, "postgres")
  const step = "create a folder for the database files"
  yield* attempt(step, () => mkdir(inside, { recursive: true, mode: 0o700 }))
  if (!isRoot) return "postgres"
  const owner = yield* serverUser(log)
  if (yield* give(inside, owner)) return "postgres"
  yield* attempt(step, () => rmdir(inside))
  for (const parent of ["/var/lib", "/var/tmp", "/tmp"]) {
    const outside = yield* Effect.option(attempt(step, () => mkdtemp(join(parent, "venue-postgres-"))))
    if (Option.isNone(outside)) continue
    if (yield* give(outside.value, owner)) {
      yield* log(`The database user cannot enter ${dataDir}; its files go to ${outside.value}`)
      return outside.value
    }
    yield* attempt(step, () => rmdir(outside.value))
  }
  return yield* new EmbeddedPostgresError({
    step,
    reason: "the database user cannot enter any of /var/lib, /var/tmp and /tmp"
  })
})

/** Gives a directory to the user. Returns whether the user can enter it. */
const give = (directory: string, owner: Owner) =>
  attempt("change the owner of the folder", () =>
    chown(directory, owner.uid, owner.gid).then(() => chmod(directory, 0o700))
  ).pipe(Effect.andThen(Effect.isSuccess(run("look", "ls", [directory], owner))))

const isRoot = process.getuid?.() === 0

/** Returns the user that owns the files. This user runs the server, even if root starts it. */
const ownerOf = Effect.fnUntraced(function* (directory: string) {
  const { gid, uid } = yield* attempt(step, () => stat(directory)).pipe(
    Effect.catchIf(isMissing, () => {
      const reason = `${directory} is missing; ${remedy}`
      return Effect.fail(new EmbeddedPostgresError({ step, reason }))
    })
  )
  if (isRoot) return { uid, gid }
  if (process.getuid === undefined || uid === process.getuid()) return undefined
  return yield* new EmbeddedPostgresError({ step, reason: `${directory} belongs to another user` })
})

const serverUser = Effect.fnUntraced(function* (log: Log) {
  const find = Effect.all([
    run("find", "id", ["-u", "postgres"], undefined),
    run("find", "id", ["-g", "postgres"], undefined)
  ])
  const make = log('Creating a user "postgres": the database server does not run as root').pipe(
    Effect.andThen(
      run(
        "create a user for the database server",
        "useradd",
        ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", "postgres"],
        undefined
      )
    ),
    Effect.andThen(find)
  )
  const [uid, gid] = yield* find.pipe(Effect.catch(() => make))
  return { uid: Number(uid), gid: Number(gid) }
})

/** Returns the wanted port, or any free port if `wanted` is 0. Fails if the wanted port is taken. */
const freePort = (wanted: number) =>
  Effect.callback<number, EmbeddedPostgresError>((resume) => {
    const server = createServer()
    server.once("error", (cause) =>
      resume(Effect.fail(new EmbeddedPostgresError({ step: "find a free port", reason: cause.message, cause })))
    )
    server.listen({ host: "127.0.0.1", port: wanted }, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resume(Effect.succeed(port)))
    })
  })
