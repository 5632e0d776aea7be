import { UserId } from "@venue/domain/UserId"
import { Journal, maxRowBytes } from "@venue/journal/Journal"
import { JournalRows } from "@venue/journal/JournalMemory"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { postgresLayer } from "../Postgres.ts"
import { bytes, follow, history, Nodes, own, recorder, turn, twoNodes, yes } from "./JournalNodes.ts"

const suite = <E>(place: string, nodes: Layer.Layer<Nodes, E>) =>
  describe(`the journal in ${place}`, () => {
    layer(nodes, { excludeTestServices: true })((it) => {
      it.effect("I2, I3: the first claim writes row 1 of epoch 1, and later rows follow without a gap", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const owner = yield* own(a, "first")
          assert.deepStrictEqual(owner.from, { epoch: 1, seq: 1 })
          assert.strictEqual(yield* owner.record("one"), 2)
          assert.strictEqual(yield* owner.record("two"), 3)
          assert.deepStrictEqual(yield* history(b, "first"), ["1 1 ", "2 1 one", "3 1 two"])
        })
      )

      it.effect("I1: another node can read a row by the time its owner is notified of the commit", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const owner = yield* own(a, "durable")
          for (const word of ["one", "two", "three"]) {
            const seq = yield* owner.record(word)
            const [row] = yield* b.read("durable", seq - 1, 1)
            assert.strictEqual(new TextDecoder().decode(row?.events), word)
          }
        })
      )

      it.effect("I5: combines decisions made during a flush into one row, in the order in which they were made", () =>
        Effect.gen(function* () {
          const { a } = yield* Nodes
          const owner = yield* own(a, "batch")
          const seqs = yield* Effect.all(
            [
              owner.record("one"),
              owner.record("two"),
              Effect.andThen(turn, owner.record("three")),
              Effect.andThen(turn, owner.record("four"))
            ],
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(seqs, [2, 2, 3, 3])
          assert.deepStrictEqual(owner.committed, [2, 3])
          assert.deepStrictEqual(yield* history(a, "batch"), ["1 1 ", "2 1 one two", "3 1 three four"])
        })
      )

      it.effect(
        "sends decisions made during a flush to Postgres before it notifies owners that the flush has committed",
        () =>
          Effect.gen(function* () {
            const { a } = yield* Nodes
            const owner = yield* own(a, "ahead")
            const notified: Array<string> = []
            const first = owner.record("one", (seq) => notified.push(`${seq} committed, ${owner.collects()} collected`))
            owner.collecting.push(() => owner.say("two"))
            yield* first
            yield* owner.record("three")
            assert.deepStrictEqual(notified, ["2 committed, 2 collected"])
            assert.deepStrictEqual(yield* history(a, "ahead"), ["1 1 ", "2 1 one", "3 1 two", "4 1 three"])
          })
      )

      it.effect("writes no row for an owner without events", () =>
        Effect.gen(function* () {
          const { a } = yield* Nodes
          const silent = yield* own(a, "silent")
          const other = yield* own(a, "not silent")
          silent.appender.wake()
          silent.appender.wake()
          yield* other.record("one")
          assert.strictEqual(silent.collects(), 1)
          assert.strictEqual((yield* history(a, "silent")).length, 1)
        })
      )

      it.effect("records more streams than fit in one flush", () =>
        Effect.gen(function* () {
          const { a } = yield* Nodes
          const streams = Array.from({ length: 700 }, (_, n) => `many ${n}`)
          const claimed = yield* a.claimMany(streams, () => recorder(), yes)
          const owners = streams.map((stream) => follow(a, stream, claimed.get(stream)!))
          const seqs = yield* Effect.all(
            owners.map((owner) => owner.record("one")),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(new Set(seqs), new Set([2]))
        })
      )

      it.effect("I3, I6: a new owner replays every row in order, and receives the next epoch", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const first = yield* own(a, "moved")
          yield* first.record("one")
          const second = yield* own(b, "moved")
          yield* second.record("two")
          const replayed = recorder()
          assert.deepStrictEqual(yield* a.claim("moved", replayed, yes), { epoch: 3, seq: 5 })
          assert.deepStrictEqual(replayed.rows, ["1 1 ", "2 1 one", "3 2 ", "4 2 two"])
        })
      )

      it.effect("I4: a stale owner cannot write, is notified once, and does not affect other owners", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const stale = yield* own(a, "fenced")
          const other = yield* own(a, "not fenced")
          yield* own(b, "fenced")
          const [refused, seq] = yield* Effect.all([Effect.flip(stale.record("late")), other.record("fine")], {
            concurrency: 2
          })
          assert.strictEqual(refused, "fenced")
          assert.strictEqual(seq, 2)
          stale.say("later")
          yield* other.record("fine too")
          assert.deepStrictEqual(stale.lost, ["fenced"])
          assert.deepStrictEqual(yield* history(a, "fenced"), ["1 1 ", "2 2 "])
        })
      )

      it.effect("I4: rejects a stale owner's row even if its sequence number follows the new owner's claim", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const { from } = yield* own(a, "skip")
          yield* own(b, "skip")
          const skipping = follow(a, "skip", { epoch: from.epoch, seq: from.seq + 1 })
          assert.strictEqual(yield* Effect.flip(skipping.record("late")), "fenced")
          assert.deepStrictEqual(yield* history(a, "skip"), ["1 1 ", "2 2 "])
        })
      )

      it.effect("I2: rejects a row that would leave a gap", () =>
        Effect.gen(function* () {
          const { a } = yield* Nodes
          const { from } = yield* own(a, "hole")
          const ahead = follow(a, "hole", { epoch: from.epoch, seq: from.seq + 1 })
          assert.strictEqual(yield* Effect.flip(ahead.record("far")), "fenced")
          assert.deepStrictEqual(yield* history(a, "hole"), ["1 1 "])
        })
      )

      it.effect("I3: concurrent claims succeed one after another, each with its own epoch", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const claims = yield* Effect.all(
            [a, b, a, b].map((node) => node.claim("meeting", recorder(), yes)),
            {
              concurrency: "unbounded"
            }
          )
          assert.deepStrictEqual(claims.map(({ epoch }) => epoch).sort(), [1, 2, 3, 4])
          assert.deepStrictEqual(yield* history(a, "meeting"), ["1 1 ", "2 2 ", "3 3 ", "4 4 "])
        })
      )

      it.effect("claims many streams together, and replays each stream from its own snapshot", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const streams = Array.from({ length: 300 }, (_, n) => `group ${n}`)
          const claimed = yield* a.claimMany(streams, () => recorder(), yes)
          const owners = streams.map((stream) => follow(a, stream, claimed.get(stream)!))
          // Writes more rows than fit in one page of the group.
          for (let n = 2; n <= 20; n++) {
            yield* Effect.all(
              owners.map((owner) => owner.record(`${n}`)),
              { concurrency: "unbounded" }
            )
          }
          yield* a.saveSnapshot("group 7", 18, [bytes("state")])
          const replayed = new Map(streams.map((stream) => [stream, recorder()]))
          const again = yield* b.claimMany(streams, (stream) => replayed.get(stream)!, yes)
          const claims = [...again.values()].map(({ epoch, seq }) => `${epoch} ${seq}`)
          assert.deepStrictEqual(new Set(claims), new Set(["2 21"]))
          assert.deepStrictEqual(replayed.get("group 7")!.rows, ["snapshot 18 state", "19 1 19", "20 1 20"])
          assert.deepStrictEqual(
            replayed.get("group 299")!.rows,
            yield* Effect.map(history(a, "group 299"), (rows) => rows.slice(0, -1))
          )
          assert.strictEqual(replayed.get("group 299")!.rows.length, 20)
        })
      )

      it.effect(
        "I7: never replaces a snapshot with an older one, and never stores a snapshot ahead of the journal",
        () =>
          Effect.gen(function* () {
            const { a, b } = yield* Nodes
            const owner = yield* own(a, "snapshot")
            for (const word of ["one", "two", "three"]) yield* owner.record(word)
            yield* a.saveSnapshot("snapshot", 3, [bytes("at three")])
            yield* b.saveSnapshot("snapshot", 2, [bytes("at two")])
            yield* b.saveSnapshot("snapshot", 9, [bytes("at nine")])
            const replayed = recorder()
            yield* b.claim("snapshot", replayed, yes)
            assert.deepStrictEqual(replayed.rows, ["snapshot 3 at three", "4 1 three"])
          })
      )

      it.effect("ignores a snapshot that its owner cannot read, and replays every row", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const owner = yield* own(a, "older shape")
          for (const word of ["one", "two"]) yield* owner.record(word)
          yield* a.saveSnapshot("older shape", 3, [bytes("of another version")])
          const replayed = recorder()
          const claimed = yield* b.claim("older shape", { ...replayed, restore: () => false }, yes)
          assert.deepStrictEqual(replayed.rows, ["1 1 ", "2 1 one", "3 1 two"])
          assert.deepStrictEqual(claimed, { epoch: 2, seq: 4 })
        })
      )

      it.effect("reads a snapshot that is larger than one database message", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          yield* own(a, "large snapshot")
          const state = Uint8Array.from({ length: 9_000_000 }, (_, n) => n % 251)
          const cuts = [0, 4, 4, 100_000, 5_000_000, state.length]
          const parts = cuts.map((cut, n) => state.subarray(cuts[n - 1] ?? 0, cut))
          yield* a.saveSnapshot("large snapshot", 1, parts)
          let restored = new Uint8Array(0)
          yield* b.claim(
            "large snapshot",
            {
              restore: (found) => {
                restored = Uint8Array.from(found)
                return true
              },
              replay: () => {}
            },
            yes
          )
          assert.isTrue(Buffer.from(restored).equals(state))
        })
      )

      it.effect("returns the rows after a given sequence number, up to the limit", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const owner = yield* own(a, "read")
          for (const word of ["one", "two", "three"]) yield* owner.record(word)
          const rows = yield* b.read("read", 1, 2)
          assert.deepStrictEqual(
            rows.map(({ seq }) => seq),
            [2, 3]
          )
          assert.deepStrictEqual(yield* b.read("read", 4, 2), [])
        })
      )

      it.effect("sets and removes wake-up entries in the same commit as their row", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const from = yield* a.claim("waking", recorder(), yes)
          const joined = (detail: string) => ({
            userId: UserId.make("waking user"),
            desk: "3",
            reason: "joined" as const,
            detail
          })
          const rows = [
            [
              { _tag: "WakeUp" as const, ...joined("one") },
              { _tag: "WakeUp" as const, ...joined("two") }
            ],
            [{ _tag: "WakeUpEnded" as const, ...joined("one") }],
            [
              { _tag: "WakeUp" as const, ...joined("three") },
              { _tag: "WakeUpEnded" as const, ...joined("three") }
            ]
          ]
          const seen: Array<ReadonlyArray<string>> = []
          for (const alongside of rows) {
            yield* Effect.callback<void>((resume) => {
              let collected = false
              a.append(
                {
                  stream: "waking",
                  collect: () => {
                    if (collected) return undefined
                    collected = true
                    return { events: bytes("x"), alongside }
                  },
                  committed: () => resume(Effect.void),
                  lost: (why) => resume(Effect.die(why))
                },
                { epoch: from.epoch, seq: from.seq + seen.length }
              ).wake()
            })
            const entries = yield* b.wakeUps("3")
            seen.push(
              entries
                .filter(({ userId }) => userId === "waking user")
                .map(({ detail }) => detail)
                .sort()
            )
          }
          assert.deepStrictEqual(seen, [["one", "two"], ["two"], ["two"]])
        })
      )

      it.effect("I4: writes no wake-up entries for a fenced row", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const from = yield* a.claim("fenced waking", recorder(), yes)
          yield* own(b, "fenced waking")
          yield* Effect.callback<void>((resume) => {
            a.append(
              {
                stream: "fenced waking",
                collect: () => ({
                  events: bytes("x"),
                  alongside: [
                    { _tag: "WakeUp", userId: UserId.make("fenced user"), desk: "3", reason: "armed", detail: "" }
                  ]
                }),
                committed: () => resume(Effect.die("committed")),
                lost: () => resume(Effect.void)
              },
              from
            ).wake()
          })
          const entries = yield* b.wakeUps("3")
          assert.isFalse(entries.some(({ userId }) => userId === "fenced user"))
        })
      )

      it.effect("does not call an owner after the owner was closed", () =>
        Effect.gen(function* () {
          const { a } = yield* Nodes
          const closed = yield* own(a, "closed")
          const other = yield* own(a, "still open")
          closed.say("one")
          closed.appender.close()
          closed.say("two")
          yield* other.record("one")
          assert.deepStrictEqual([closed.collects(), closed.committed, closed.lost], [0, [], []])
          assert.strictEqual((yield* history(a, "closed")).length, 1)
        })
      )

      it.effect("I48: if an owner throws, or collects no bytes or too many, stops only that owner", () =>
        Effect.gen(function* () {
          const { a } = yield* Nodes
          const other = yield* own(a, "well behaved")
          const lost: Array<string> = []
          const misbehave = Effect.fnUntraced(function* (stream: string, collect: () => Uint8Array) {
            const from = yield* a.claim(stream, recorder(), yes)
            a.append(
              {
                stream,
                collect: () => ({ events: collect() }),
                committed: () => {},
                lost: (why) => lost.push(`${stream} ${why}`)
              },
              from
            ).wake()
          })
          yield* misbehave("large", () => new Uint8Array(maxRowBytes + 1))
          yield* misbehave("empty", () => new Uint8Array(0))
          yield* misbehave("thrown", () => {
            throw new Error("a bug")
          })
          assert.strictEqual(yield* other.record("one"), 2)
          assert.deepStrictEqual(lost, ["large unknown", "empty unknown", "thrown unknown"])
          assert.strictEqual((yield* history(a, "large")).length, 1)
        })
      )

      it.effect("I4: two nodes that write to the same streams in opposite order do not deadlock", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const streams = Array.from({ length: 100 }, (_, n) => `crossing ${n}`)
          for (let round = 0; round < 20; round++) {
            const claimed = yield* a.claimMany(streams, () => recorder(), yes)
            const record = (journal: typeof a, order: ReadonlyArray<string>) =>
              order.map((stream) => Effect.result(follow(journal, stream, claimed.get(stream)!).record("x")))
            const outcomes = yield* Effect.all([...record(a, streams), ...record(b, streams.toReversed())], {
              concurrency: "unbounded"
            })
            assert.strictEqual(outcomes.filter(Result.isSuccess).length, 100)
            assert.isTrue(outcomes.filter(Result.isFailure).every(({ failure }) => failure === "fenced"))
          }
        })
      )
    })
  })

suite("memory", twoNodes(Journal.layerMemoryNode).pipe(Layer.provide(JournalRows.layer)))
suite("Postgres", twoNodes(Journal.layer).pipe(Layer.provide(postgresLayer)))
