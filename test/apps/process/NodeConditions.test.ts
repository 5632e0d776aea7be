/** Tests of the conditions that a node reports about its machine and files. */
import { DatabaseState } from "@venue/storage/alarms/DatabaseState"
import { assert, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { X509Certificate } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeConditions from "../../../apps/process/NodeConditions.ts"

const read = (name: string) => readFileSync(join(import.meta.dirname, "../../cluster/certificates", name), "utf8")
const [runner, authority] = [read("runner.pem"), read("authority.pem")]
const endOf = (pem: string) => Date.parse(new X509Certificate(pem).validTo)
const dayMillis = 86_400_000

const database = (path: string) =>
  Effect.provideService(DatabaseState, {
    replicas: Effect.succeed([]),
    dataDirectory: Effect.succeed(Option.some(path))
  })
const elsewhere = Redacted.make("postgres://db.example/venue")

it.effect("reports a certificate 21 days before the first of its file's certificates expires, and after that", () =>
  Effect.gen(function* () {
    const certificates = [{ path: "/tls/runner.pem", pem: `${authority}\n${runner}` }]
    const conditions = yield* NodeConditions.make({ paths: [], certificates, databaseUrl: elsewhere })
    const endsAtMillis = Math.min(endOf(runner), endOf(authority))
    const end = new Date(endsAtMillis).toISOString()
    yield* TestClock.setTime(endsAtMillis - 21 * dayMillis - 1_000)
    assert.deepStrictEqual(yield* conditions, [])
    yield* TestClock.setTime(endsAtMillis - 21 * dayMillis)
    const about = {
      kind: "CERTIFICATE_EXPIRING",
      path: "/tls/runner.pem",
      sinceMillis: endsAtMillis - 21 * dayMillis
    } as const
    assert.deepStrictEqual(yield* conditions, [
      {
        ...about,
        reason: `A certificate of /tls/runner.pem expires at ${end}. Replace the file and restart the node before then.`
      }
    ])
    yield* TestClock.setTime(endsAtMillis)
    assert.deepStrictEqual(yield* conditions, [
      { ...about, reason: `A certificate of /tls/runner.pem expired at ${end}. Replace the file and restart the node.` }
    ])
  }).pipe(database("/"))
)

it.effect("reads the certificate of the operator interface again, and keeps the last one of a file that is gone", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "venue-conditions-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const path = join(folder, "admin.pem")
    writeFileSync(path, authority)
    const conditions = yield* NodeConditions.make({ paths: [], certificates: [{ path }], databaseUrl: elsewhere })
    const reasons = Effect.map(conditions, (all) => all.map(({ reason }) => reason))
    const expired = (pem: string) =>
      `A certificate of ${path} expired at ${new Date(endOf(pem)).toISOString()}. Replace the file.`
    yield* TestClock.setTime(Math.max(endOf(runner), endOf(authority)))
    assert.deepStrictEqual(yield* reasons, [expired(authority)])
    writeFileSync(path, runner)
    assert.deepStrictEqual(yield* reasons, [expired(runner)])
    rmSync(path)
    assert.deepStrictEqual(yield* reasons, [expired(runner)])
    writeFileSync(path, "-----BEGIN CERTIFICATE-----\nhalf\n-----END CERTIFICATE-----")
    assert.deepStrictEqual(yield* reasons, [])
  }).pipe(Effect.scoped, database("/"))
)

/** Runs a test with the used share of each path's file system; any other path cannot be read. */
const disks = (shares: Readonly<Record<string, number>>) =>
  Effect.provideService(NodeConditions.DiskUse, (path) =>
    path in shares ? Effect.succeed(shares[path]!) : Effect.fail("no such path")
  )

it.effect("reports a file system that is more than 80 % full and a path that cannot be read, since the same time", () =>
  Effect.gen(function* () {
    const shares = { "/data": 0.8, "/backup": 0.937 }
    const paths = [...Object.keys(shares), "/nonexistent"]
    const conditions = yield* disks(shares)(NodeConditions.make({ paths, certificates: [], databaseUrl: elsewhere }))
    const first = yield* conditions
    assert.deepStrictEqual(first, [
      {
        kind: "DISK_FULL",
        path: "/backup",
        reason: "The file system of /backup is 93 % full; the limit is 80 %.",
        sinceMillis: 0
      },
      {
        kind: "DISK_FULL",
        path: "/nonexistent",
        reason: "The path /nonexistent cannot be read. Correct VENUE_WATCHED_PATHS, or the rights of the path.",
        sinceMillis: 0
      }
    ])
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* conditions, first)
    shares["/backup"] = 0.5
    shares["/data"] = 0.801
    assert.deepStrictEqual(
      (yield* conditions).map(({ path, sinceMillis }) => [path, sinceMillis]),
      [
        ["/data", 60_000],
        ["/nonexistent", 0]
      ]
    )
  }).pipe(database("/"))
)

it.live("calculates the used share of a file system as df does", () =>
  Effect.gen(function* () {
    const diskUse = yield* NodeConditions.DiskUse
    const df = execFileSync("df", ["-P", import.meta.dirname], { encoding: "utf8" })
    const percent = Number(/(\d+)%/.exec(df)![1])
    assert.approximately((yield* diskUse(import.meta.dirname)) * 100, percent, 1.5)
  })
)

it.effect("checks the data directory of a database on this machine, and ignores it if it cannot be read", () =>
  Effect.gen(function* () {
    const of = (databaseUrl: string, path: string) =>
      NodeConditions.make({ paths: [], certificates: [], databaseUrl: Redacted.make(databaseUrl) }).pipe(
        Effect.flatten,
        Effect.map((all) => all.map((condition) => condition.path)),
        database(path),
        disks({ "/data": 0.9 })
      )
    for (const here of [
      "postgres://127.0.0.1/venue",
      "postgres://[::1]:5433,localhost/venue",
      "postgres:///venue?host=/run/postgres"
    ])
      assert.deepStrictEqual(yield* of(here, "/data"), ["/data"])
    assert.deepStrictEqual(yield* of("postgres://127.0.0.1,db.example/venue", "/data"), [])
    assert.deepStrictEqual(yield* of("postgres://127.0.0.1/venue", "/nonexistent"), [])
  })
)
