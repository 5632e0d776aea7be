/** Skipped numbers of lost rows, on Postgres and in memory. */
import { Journal } from "@venue/journal/Journal"
import { maxSkipped } from "@venue/journal/JournalStream"
import { JournalRows } from "@venue/journal/JournalMemory"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Stream from "../../apps/auditor/Stream.ts"
import { postgresLayer } from "../Postgres.ts"
import { Nodes, own, recorder, twoNodes, yes } from "./JournalNodes.ts"

const suite = <E>(place: string, nodes: Layer.Layer<Nodes, E>) =>
  describe(`skipped rows in ${place}`, () => {
    layer(nodes, { excludeTestServices: true })((it) => {
      it.effect("I57: every reader accepts skipped rows as claims, and the next owner appends after them", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const owner = yield* own(a, "market/one")
          yield* owner.record("before")
          owner.appender.close()
          assert.isTrue(yield* b.skip("market/one", { seq: 9, epoch: 5 }))
          const rows = yield* b.read("market/one", 0, 100)
          assert.deepStrictEqual(
            rows.map(({ epoch, events, seq }) => [seq, epoch, events.length > 0]),
            [[1, 1, false], [2, 1, true], ...Array.from({ length: 7 }, (_, index) => [3 + index, 6 + index, false])]
          )
          const line = Stream.make("market/one")
          for (const row of rows) {
            assert.isUndefined(Stream.faultOf(line, row))
            Stream.take(line, row)
          }
          const replayed = recorder()
          const claimed = yield* b.claim("market/one", replayed, yes)
          assert.deepStrictEqual(claimed, { epoch: 13, seq: 10 })
          assert.lengthOf(replayed.rows, 9)
        })
      )

      it.effect("a repeated call skips nothing more, and one row suffices if the numbers are taken", () =>
        Effect.gen(function* () {
          const { a } = yield* Nodes
          assert.isTrue(yield* a.skip("empty", { seq: 3, epoch: 2 }))
          assert.isTrue(yield* a.skip("empty", { seq: 3, epoch: 2 }))
          assert.deepStrictEqual(yield* a.heads(["empty"]), [3])
          assert.isTrue(yield* a.skip("empty", { seq: 2, epoch: 9 }))
          assert.deepStrictEqual(yield* a.heads(["empty"]), [4])
        })
      )

      it.effect("fences an owner that is running", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const owner = yield* own(a, "owned")
          yield* owner.record("before")
          assert.isTrue(yield* b.skip("owned", { seq: 4, epoch: 1 }))
          yield* Effect.exit(owner.record("after"))
          assert.deepStrictEqual(owner.lost, ["fenced"])
          assert.deepStrictEqual(yield* b.heads(["owned"]), [4])
        })
      )

      it.effect("a long gap takes several calls", () =>
        Effect.gen(function* () {
          const { a } = yield* Nodes
          const upTo = { seq: 2 * maxSkipped, epoch: 0 }
          assert.isFalse(yield* a.skip("long", upTo))
          assert.isTrue(yield* a.skip("long", upTo))
          assert.deepStrictEqual(yield* a.heads(["long"]), [2 * maxSkipped])
        })
      )
    })
  })

suite("Postgres", twoNodes(Journal.layer).pipe(Layer.provide(postgresLayer)))
suite("memory", twoNodes(Journal.layerMemoryNode).pipe(Layer.provide(JournalRows.layer)))

layer(twoNodes(Journal.layer).pipe(Layer.provideMerge(postgresLayer)), { excludeTestServices: true })((it) => {
  it.effect("I57: no stream is claimed while a recovery waits for a decision", () =>
    Effect.gen(function* () {
      const { a } = yield* Nodes
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into recovery (recovery_id, state, found_by, found_at) values (1, 'OPEN', 'runner-1', now())`
      const claim = yield* Effect.forkChild(a.claim("held", recorder(), yes))
      yield* Effect.sleep("1 second")
      assert.isUndefined(claim.pollUnsafe())
      assert.deepStrictEqual(yield* a.heads(["held"]), [0])
      const given = yield* Effect.flip(a.claim("held", recorder(), Effect.succeed(false)))
      assert.strictEqual(given._tag, "NotOwner")
      yield* sql`update recovery set state = 'CANCELLING'`
      assert.deepStrictEqual(yield* Fiber.join(claim), { epoch: 1, seq: 1 })
    })
  )
})
