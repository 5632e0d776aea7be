/** Connections to real database servers: TLS modes, a server that becomes read-only, and failover to a standby. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as DatabaseMoves from "@venue/postgres/DatabaseMoves"
import { sentenceOf } from "@venue/postgres/DatabaseFault"
import { Journal } from "@venue/journal/Journal"
import { assert, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Layer, type Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { join } from "node:path"
import * as OwnServer from "./OwnServer.ts"

const authority = join(import.meta.dirname, "certificates/authority.pem")
const other = join(import.meta.dirname, "../cluster/certificates/other-authority.pem")
const limit = 600_000
const soon = Schedule.spaced("50 millis")

/** Returns whether a connection is encrypted, or the sentence of the failure. */
const encrypted = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* DatabaseClient.makeClient({ url })
    const [row] = yield* sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.values
    return String(row![0])
  }).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.catch((error: SqlError) => Effect.succeed(sentenceOf(error)))
  )

it.live(
  "each sslmode accepts and refuses the server's certificate as documented",
  () =>
    Effect.gen(function* () {
      const server = yield* OwnServer.startTls
      const at = (host: string, query: string) => encrypted(OwnServer.urlOf([server], { host, query }))
      for (const query of [
        "?sslmode=require",
        `?sslmode=require&sslrootcert=${authority}`,
        `?sslmode=verify-ca&sslrootcert=${authority}`
      ]) {
        assert.strictEqual(yield* at("127.0.0.1", query), "true", query)
      }
      assert.strictEqual(yield* at("localhost", `?sslmode=verify-full&sslrootcert=${authority}`), "true")
      const unknown = "of an unknown authority"
      assert.include(yield* at("localhost", `?sslmode=verify-full&sslrootcert=${other}`), unknown)
      assert.include(yield* at("localhost", `?sslmode=verify-ca&sslrootcert=${other}`), unknown)
      assert.include(yield* at("localhost", `?sslmode=require&sslrootcert=${other}`), unknown)
      assert.include(yield* at("localhost", "?sslmode=verify-full"), unknown)
      assert.include(
        yield* at("127.0.0.1", `?sslmode=verify-full&sslrootcert=${authority}`),
        "certificate is for another host name"
      )
      assert.include(yield* at("127.0.0.1", ""), "accepts only encrypted connections")
      assert.include(yield* at("127.0.0.1", "?sslmode=verify-full&sslrootcert=/none.pem"), "sslrootcert cannot be read")
    }),
  limit
)

const portOf = Effect.map(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select current_setting('port')`.values),
  ([row]) => Number(row![0])
)

const refusalOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) ? sentenceOf(Cause.squash(exit.cause) as SqlError) : "no refusal"

it.live(
  "a pool moves to the next server when its server is read-only at the start or becomes read-only",
  () =>
    Effect.gen(function* () {
      const [first, second] = [yield* OwnServer.start(), yield* OwnServer.start()]
      // Both servers need the same password.
      yield* OwnServer.on(second, `alter role venue password '${OwnServer.passwordOf(first)}'`)
      const url = OwnServer.urlOf([first, second])
      const setReadOnly = (server: OwnServer.OwnServer, isReadOnly: "on" | "off") =>
        Effect.andThen(
          OwnServer.on(
            { ...server, home: first.home },
            `alter system set default_transaction_read_only = ${isReadOnly}`
          ),
          OwnServer.on({ ...server, home: first.home }, "select pg_reload_conf()")
        )
      const moves = DatabaseMoves.make()
      yield* moves.checking(Effect.void)
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* portOf, first.port)
        assert.strictEqual(moves.count(), 0)
        yield* setReadOnly(first, "on")
        yield* Effect.repeat(Effect.retry(portOf, soon), { until: (port) => port === second.port, schedule: soon })
        assert.strictEqual(moves.count(), 1)
      }).pipe(
        Effect.provide(DatabaseClient.layer({ url, maxConnections: 2 })),
        Effect.provideService(DatabaseMoves.DatabaseMoves, moves)
      )
      yield* Effect.provide(
        Effect.map(portOf, (port) => assert.strictEqual(port, second.port)),
        Layer.fresh(DatabaseClient.layer({ url, maxConnections: 2 }))
      )
      yield* setReadOnly(second, "on")
      const exit = yield* Effect.exit(
        Effect.provide(portOf, Layer.fresh(DatabaseClient.layer({ url, maxConnections: 2 })))
      )
      assert.include(refusalOf(exit), "every server of VENUE_DATABASE_URL is read-only")
      const stopped = { ...first, port: 1 }
      const standby = { ...second, home: first.home }
      for (const servers of [
        [stopped, standby],
        [standby, stopped]
      ]) {
        const refusal = refusalOf(
          yield* Effect.exit(
            Effect.provide(
              portOf,
              Layer.fresh(DatabaseClient.layer({ url: OwnServer.urlOf(servers), maxConnections: 2 }))
            )
          )
        )
        assert.match(refusal, /^no server of the database accepts writes \(.*:1: .*ECONNREFUSED/)
        assert.include(refusal, "every other server of VENUE_DATABASE_URL is read-only): promote a standby")
      }
    }),
  limit
)

const stream = "market/TEST-USD"

/** Appends numbered rows until the stream is lost. Records the sequence numbers that the journal acknowledged. */
const owner = (acknowledged: Set<number>) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const replayed: Array<number> = []
    const into = {
      restore: () => false,
      replay: ({ seq }: { readonly seq: number }) => void replayed.push(seq)
    }
    const claimed = yield* Effect.retry(journal.claim(stream, into, Effect.succeed(true)), soon)
    const lost = yield* Deferred.make<void>()
    const appender = journal.append(
      {
        stream,
        collect: () => ({ events: new Uint8Array(1) }),
        committed: (seq) => {
          acknowledged.add(seq)
          appender.wake()
        },
        lost: () => Deferred.doneUnsafe(lost, Exit.void)
      },
      claimed
    )
    appender.wake()
    return { claimed, lost: Deferred.await(lost), replayed }
  })

it.live(
  "with a synchronous standby, a promotion loses no acknowledged row, and the journal continues on the standby",
  () =>
    Effect.gen(function* () {
      const primary = yield* OwnServer.start()
      const standby = yield* OwnServer.standbyOf(primary)
      yield* OwnServer.on(primary, "alter system set synchronous_standby_names = 'standby'")
      yield* OwnServer.on(primary, "select pg_reload_conf()")
      yield* Effect.repeat(OwnServer.on(primary, "select sync_state from pg_stat_replication"), {
        until: ([row]) => row?.[0] === "sync",
        schedule: soon
      })
      const url = OwnServer.urlOf([primary, standby], { query: "?target_session_attrs=read-write" })
      const database = DatabaseClient.layer({ url, maxConnections: 4, connectTimeout: "3 seconds" })
      yield* Effect.gen(function* () {
        const acknowledged = new Set<number>()
        const first = yield* owner(acknowledged)
        yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => acknowledged.size > 100 })
        process.kill(primary.pid, "SIGKILL")
        yield* first.lost
        yield* OwnServer.on(standby, "select pg_promote()")

        const before = new Set(acknowledged)
        const second = yield* owner(acknowledged)
        assert.deepStrictEqual(
          [...before].filter((seq) => !second.replayed.includes(seq)),
          []
        )
        yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => acknowledged.size > before.size + 10 })
      }).pipe(Effect.provide(Layer.provideMerge(Journal.layer, database)))
    }),
  limit
)
