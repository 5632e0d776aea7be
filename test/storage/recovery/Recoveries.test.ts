/** Recoveries on Postgres and in memory, and the comparison of a witness with a Postgres database. */
import { digestOf } from "@venue/journal/witness/Witness"
import { Journal } from "@venue/journal/Journal"
import { Nonces } from "@venue/storage/access/Nonces"
import { WalletNonces } from "@venue/storage/access/WalletNonces"
import * as Comparison from "@venue/storage/recovery/Comparison"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../../Postgres.ts"

const loss = (stream: string, witnessedSeq: number, firstMissing = 5) => ({
  stream,
  databaseSeq: firstMissing - 1,
  databaseEpoch: 1,
  witnessedSeq,
  witnessedEpoch: 2,
  firstMissing
})
const decision = (recoveryId: number, operator: string) => ({ recoveryId, operator, reason: "a test" })

const suite = <E>(place: string, services: Layer.Layer<Recoveries, E>) =>
  describe(`recoveries in ${place}`, () => {
    layer(services, { excludeTestServices: true })((it) => {
      it.effect("merges the findings of several nodes, and goes through the states once", () =>
        Effect.gen(function* () {
          const recoveries = yield* Recoveries
          assert.isTrue(Option.isNone(yield* recoveries.pending))
          const fact = { kind: "user", subject: "u", number: 3, isRestricted: true } as const
          const reports = ["runner-1", "runner-2", "runner-3"].map((node) =>
            recoveries.report({ losses: [loss("b", 9), loss("a", 7)], facts: [fact] }, node)
          )
          const found = yield* Effect.all(reports, { concurrency: 3 })
          assert.deepStrictEqual(
            found.map(({ recoveryId }) => recoveryId),
            [1, 1, 1]
          )
          yield* recoveries.report({ losses: [loss("b", 8, 4)], facts: [] }, "gateway-1")
          assert.deepStrictEqual(yield* recoveries.totals(1), { streams: 2, missingRows: 9 })
          const [second] = yield* recoveries.losses(1, { limit: 1, offset: 1 })
          assert.deepInclude(second, { stream: "b", witnessedSeq: 9, firstMissing: 4 })
          assert.deepInclude((yield* recoveries.facts(1))[0], fact)

          assert.isTrue(Option.isSome(yield* recoveries.decide(decision(1, "ann"))))
          yield* recoveries.decide(decision(1, "ann"))
          assert.lengthOf(yield* recoveries.decisions(1), 1)
          assert.isFalse(yield* recoveries.advance(1, "ACCEPTED"))
          assert.isTrue(yield* recoveries.advance(1, "OPEN"))
          assert.isFalse(yield* recoveries.advance(1, "OPEN"))
          assert.isTrue(Option.isNone(yield* recoveries.decide(decision(1, "ben"))))
          assert.lengthOf(yield* recoveries.unskipped(1, 10), 2)
          yield* recoveries.skipped(1, ["a"])
          assert.deepStrictEqual(
            (yield* recoveries.unskipped(1, 10)).map(({ stream }) => stream),
            ["b"]
          )
          assert.strictEqual(
            (yield* recoveries.report({ losses: [loss("a", 70)], facts: [] }, "runner-4")).recoveryId,
            2
          )
          const pending = Effect.map(recoveries.pending, (found) => {
            const { recoveryId, state } = Option.getOrThrow(found)
            return [recoveryId, state]
          })
          assert.deepStrictEqual(yield* pending, [1, "ACCEPTED"])
          assert.isTrue(yield* recoveries.advance(1, "ACCEPTED"))
          assert.deepStrictEqual(yield* pending, [2, "OPEN"])
          assert.isTrue(yield* recoveries.advance(2, "OPEN"))
          assert.isTrue(yield* recoveries.advance(2, "ACCEPTED"))
          assert.deepStrictEqual(yield* pending, [1, "CANCELLING"])
          assert.isTrue(yield* recoveries.advance(1, "CANCELLING"))
          assert.deepStrictEqual(yield* pending, [2, "CANCELLING"])
          assert.isTrue(yield* recoveries.advance(2, "CANCELLING"))
          assert.isTrue(Option.isNone(yield* recoveries.pending))
        })
      )

      it.effect("I57: deletes the decisions if a later finding adds to what their operators saw", () =>
        Effect.gen(function* () {
          const recoveries = yield* Recoveries
          const fact = (number: number, isRestricted: boolean) => ({
            kind: "user" as const,
            subject: "u",
            number,
            isRestricted
          })
          const report = (
            losses: ReadonlyArray<ReturnType<typeof loss>>,
            ...facts: ReadonlyArray<ReturnType<typeof fact>>
          ) => recoveries.report({ losses, facts }, "runner-1")
          const { recoveryId } = yield* report([loss("a", 7)], fact(3, true))
          const decided = recoveries.decide(decision(recoveryId, "ann"))
          const count = Effect.map(recoveries.decisions(recoveryId), ({ length }) => length)
          yield* decided
          yield* report([loss("a", 7)], fact(3, true))
          yield* report([loss("a", 6, 6)], fact(2, false))
          assert.strictEqual(yield* count, 1)
          assert.deepInclude((yield* recoveries.facts(recoveryId))[0], fact(3, true))
          for (const grown of [
            report([loss("b", 1, 1)]),
            report([loss("a", 8)]),
            report([loss("a", 8, 4)]),
            report([], fact(4, false)),
            report([], { ...fact(5, true), subject: "v" })
          ]) {
            yield* decided
            assert.strictEqual((yield* grown).recoveryId, recoveryId)
            assert.strictEqual(yield* count, 0)
          }
        })
      )
    })
  })

suite("Postgres", Recoveries.layer.pipe(Layer.provide(postgresLayer)))
suite("memory", Recoveries.layerMemory)

const tables = Layer.mergeAll(Journal.layer, Nonces.layer, Recoveries.layer, WalletNonces.layer).pipe(
  Layer.provideMerge(postgresLayer)
)

const row = (stream: string, seq: number, epoch: number, events: string) => ({
  stream,
  seq,
  epoch,
  digest: digestOf(Buffer.from(events))
})

const write = Effect.fnUntraced(function* (rows: ReadonlyArray<readonly [string, number, number, string]>) {
  const sql = yield* SqlClient.SqlClient
  for (const [stream, seq, epoch, events] of rows)
    yield* sql`
      insert into journal (stream, seq, epoch, events) values (${stream}, ${seq}, ${epoch}, ${Buffer.from(events)})`
})

describe("comparison", () => {
  layer(tables, { excludeTestServices: true })((it) => {
    it.effect("I57: finds missing and replaced rows, until operators accept the loss", () =>
      Effect.gen(function* () {
        const recoveries = yield* Recoveries
        yield* write([
          ["same", 1, 1, ""],
          ["same", 2, 1, "b"],
          ["short", 1, 1, ""],
          ["epoch", 1, 2, ""],
          ["events", 1, 1, ""],
          ["events", 2, 1, "other"]
        ])
        const witnessed = [
          row("same", 2, 1, "b"),
          row("short", 4, 3, "d"),
          row("epoch", 1, 1, ""),
          row("events", 2, 1, "mine"),
          row("unknown", 3, 1, "c")
        ]
        const found = yield* Comparison.losses(witnessed)
        assert.deepStrictEqual(
          found.map(({ databaseSeq, firstMissing, stream, witnessedSeq }) => [
            stream,
            databaseSeq,
            firstMissing,
            witnessedSeq
          ]),
          [
            ["short", 1, 2, 4],
            ["epoch", 1, 1, 1],
            ["events", 2, 2, 2],
            ["unknown", 0, 1, 3]
          ]
        )
        const { recoveryId } = yield* recoveries.report({ losses: found, facts: [] }, "runner-1")
        assert.lengthOf(yield* Comparison.losses(witnessed), 4)
        yield* recoveries.advance(recoveryId, "OPEN")
        assert.deepStrictEqual(yield* Comparison.losses(witnessed), [])
        const later = [row("short", 5, 3, "e"), row("short", 4, 4, "d")]
        assert.lengthOf(yield* Comparison.losses(later), 2)
      })
    )

    it.effect("an archived row is not lost, and the rows after the archive are compared", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into journal_archive (stream, first_row, last_row, digest) values ('archived', 1, 500, '')`
        yield* sql`insert into journal (stream, seq, epoch, events) values ('archived', 501, 1, '')`
        const witnessed = (seq: number) => row("archived", seq, 1, "a")
        assert.deepStrictEqual(yield* Comparison.losses([witnessed(1), witnessed(500)]), [])
        const found = yield* Comparison.losses([witnessed(501), witnessed(502)])
        assert.deepStrictEqual(
          found.map(({ firstMissing }) => firstMissing),
          [501, 502]
        )
      })
    )

    it.effect("finds changes of restrictions that were announced after the newest announcement", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const fact = (number: number) => ({ kind: "user", subject: `u${number}`, number, isRestricted: true }) as const
        assert.deepStrictEqual(yield* Comparison.facts([fact(1)]), [fact(1)])
        yield* sql`insert into revocation (kind, subject) values ('user', 'u1')`
        assert.deepStrictEqual(yield* Comparison.facts([fact(1), fact(2)]), [fact(2)])
      })
    )

    it.effect("after a recovery, refuses requests and messages that are dated before it as reused", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const nonces = yield* Nonces
        const messages = yield* WalletNonces
        yield* sql`insert into venue_user (user_id, name, created_at) values ('user', '', now())`
        yield* sql`
          insert into api_key (public_key, user_id, label, sealed_secret, permissions, scope, created_at)
          values ('key', 'user', '', '', '{}', 'user', now())`
        const [{ from }] = (yield* sql`
          select round(extract(epoch from credentials_from) * 1000)::float8 as from from recovery`) as [
          { readonly from: number }
        ]
        assert.strictEqual((yield* Effect.flip(nonces.claim("key", "a1", from - 1_000)))._tag, "NonceReused")
        yield* nonces.claim("key", "a2", from + 1_000)
        const issued = (issuedAtMillis: number) => ({ issuedAtMillis, expiresAtMillis: from + 600_000 })
        const early = yield* Effect.flip(messages.use("signin", "0xa1", "abcdefgh", issued(from - 1_000)))
        assert.strictEqual(early._tag, "WalletNonceUsed")
        yield* messages.use("signin", "0xa1", "abcdefgi", issued(from + 1_000))
      })
    )
  })
})
