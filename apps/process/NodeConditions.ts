/** Conditions of a node's machine and files that need an operator: full file systems, and certificates that expire. */
import * as DatabaseUrl from "@venue/postgres/DatabaseUrl"
import { DatabaseState } from "@venue/storage/alarms/DatabaseState"
import type { NodeCondition } from "@venue/storage/alarms/NodeReports"
import { isLoopback } from "@venue/providers/webhooks/PublicAddress"
import { Clock, Context, Effect, Option, Redacted, Result } from "effect"
import { readFile, statfs } from "node:fs/promises"
import { expiryMillis } from "./TlsFiles.ts"

export interface Watched {
  /** Paths whose file systems are checked. */
  readonly paths: ReadonlyArray<string>
  /** PEM files, which may have several certificates. Without `pem`, the node reads the file again when it changes. */
  readonly certificates: ReadonlyArray<{ readonly path: string; readonly pem?: string }>
  /** A database on this machine is checked too, if its role may see the data directory. */
  readonly databaseUrl: Redacted.Redacted
}

/** Returns the used share of a path's file system. */
export const DiskUse = Context.Reference<(path: string) => Effect.Effect<number, unknown>>(
  "@venue/apps/process/DiskUse",
  {
    defaultValue: () => usageOf
  }
)

/** Returns an effect that checks everything. A path that cannot be read is reported as full: it needs an operator. */
export const make = Effect.fnUntraced(function* ({ certificates, databaseUrl, paths }: Watched) {
  const { dataDirectory } = yield* DatabaseState
  const diskUse = yield* DiskUse
  const fullSinceMillis = new Map<string, number>()
  const lastRead = new Map<string, string>()
  let databasePath = Option.none<string>()

  const ofDisk = Effect.fnUntraced(function* (path: string, unreadable: "reported" | "ignored") {
    const usage = yield* Effect.result(diskUse(path))
    const reason = Result.match(usage, {
      onFailure: () =>
        unreadable === "reported"
          ? `The path ${path} cannot be read. Correct VENUE_WATCHED_PATHS, or the rights of the path.`
          : "",
      onSuccess: (share) =>
        share > fullShare ? `The file system of ${path} is ${Math.floor(share * 100)} % full; the limit is 80 %.` : ""
    })
    if (reason === "") return void fullSinceMillis.delete(path)
    const sinceMillis = fullSinceMillis.get(path) ?? (yield* Clock.currentTimeMillis)
    fullSinceMillis.set(path, sinceMillis)
    return { kind: "DISK_FULL", path, reason, sinceMillis } as const
  })
  const ofDatabase = Effect.gen(function* () {
    if (!isHere(databaseUrl)) return undefined
    const found = yield* Effect.option(Effect.timeout(dataDirectory, "1 second"))
    if (Option.isSome(found)) databasePath = found.value
    return Option.isNone(databasePath) ? undefined : yield* ofDisk(databasePath.value, "ignored")
  })
  /** A file that cannot be read keeps its last certificate, as its listener does. */
  const reread = (path: string) =>
    Effect.tryPromise(() => readFile(path, "utf8")).pipe(
      Effect.tap((pem) => Effect.sync(() => lastRead.set(path, pem))),
      Effect.catch(() => Effect.sync(() => lastRead.get(path) ?? ""))
    )
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const disks = [...(yield* Effect.forEach(paths, (path) => ofDisk(path, "reported"))), yield* ofDatabase]
    const expiring = yield* Effect.forEach(certificates, ({ path, pem }) =>
      pem === undefined
        ? Effect.map(reread(path), (current) => ofCertificate(path, current, "Replace the file", now))
        : Effect.succeed(ofCertificate(path, pem, "Replace the file and restart the node", now))
    )
    return [...disks, ...expiring].filter((condition): condition is NodeCondition => condition !== undefined)
  })
})

const fullShare = 0.8
const expiringMillis = 21 * 86_400_000

/** Returns the used share of a file system, as `df` shows it: without the blocks that only root can use. */
const usageOf = (path: string) =>
  Effect.map(
    Effect.tryPromise(() => statfs(path)),
    ({ bavail, bfree, blocks }) => {
      const used = blocks - bfree
      return used + bavail === 0 ? 0 : used / (used + bavail)
    }
  )

/** Reports the certificate of a file that expires first. Ignores a certificate that is being written. */
const ofCertificate = (path: string, pem: string, remedy: string, nowMillis: number): NodeCondition | undefined => {
  const ends = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).flatMap((certificate) =>
    Option.toArray(Result.getSuccess(Result.try(() => expiryMillis(certificate))))
  )
  const endsAtMillis = Math.min(...ends)
  if (endsAtMillis - nowMillis > expiringMillis) return undefined
  const end = new Date(endsAtMillis).toISOString()
  const reason =
    endsAtMillis <= nowMillis
      ? `A certificate of ${path} expired at ${end}. ${remedy}.`
      : `A certificate of ${path} expires at ${end}. ${remedy} before then.`
  return { kind: "CERTIFICATE_EXPIRING", path, reason, sinceMillis: endsAtMillis - expiringMillis }
}

/** Whether all servers of the database run on this machine, so that the data directory is one of its paths. */
const isHere = (url: Redacted.Redacted): boolean =>
  Result.match(DatabaseUrl.parse(Redacted.value(url)), {
    onFailure: () => false,
    onSuccess: ({ hosts }) =>
      hosts.every(({ host }) => host === "localhost" || host === "" || host.startsWith("/") || isLoopback(host))
  })
