/** The file of a witness: torn lines, damage, other owners, and the rewriting of a long file. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import type * as WitnessLine from "@venue/journal/witness/WitnessLine"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, type Scope } from "effect"
import { join } from "node:path"
import * as WitnessFile from "../../../../apps/process/witness/WitnessFile.ts"

const row = (stream: string, seq: number, epoch = 1): WitnessLine.Entry => ({
  _tag: "Row",
  row: { stream, seq, epoch, digest: "0123456789abcdef" }
})

const temporary = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())
const test = (title: string, body: Effect.Effect<void, unknown, NodeServices.NodeServices | Scope.Scope>) =>
  it.live(title, () => Effect.scoped(Effect.provide(body, NodeServices.layer)))

const written = (directory: string, owner = "runner-1") =>
  Effect.scoped(Effect.map(WitnessFile.open(directory, owner), ({ entries }) => entries()))

test(
  "keeps the newest row of each stream over restarts",
  Effect.gen(function* () {
    const directory = join(yield* temporary, "new", "folder")
    yield* Effect.scoped(
      Effect.gen(function* () {
        const witness = yield* WitnessFile.open(directory, "runner-1")
        yield* witness.append([row("a", 1), row("b", 1)])
        yield* witness.append([row("a", 2)])
      })
    )
    assert.sameDeepMembers([...(yield* written(directory))], [row("a", 2), row("b", 1)])
  })
)

test(
  "I57: keeps the evidence of lost rows when a later epoch takes their numbers",
  Effect.gen(function* () {
    const directory = yield* temporary
    yield* Effect.scoped(
      Effect.gen(function* () {
        const witness = yield* WitnessFile.open(directory, "runner-1")
        yield* witness.append([row("a", 100, 5)])
        yield* witness.append([row("a", 98, 6)])
        yield* witness.append([row("a", 100, 6)])
      })
    )
    assert.deepStrictEqual(yield* written(directory), [row("a", 100, 5)])
  })
)

test(
  "stores an entry again whose first attempt failed",
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const directory = yield* temporary
    const path = join(directory, WitnessFile.fileName)
    const witness = yield* WitnessFile.open(directory, "runner-1")
    yield* files.rename(path, `${path}.moved`)
    yield* files.makeDirectory(path)
    yield* Effect.flip(witness.append([row("a", 1)]))
    yield* files.remove(path, { recursive: true })
    yield* files.rename(`${path}.moved`, path)
    yield* witness.append([row("a", 1)])
    assert.deepStrictEqual(yield* written(directory), [row("a", 1)])
  })
)

test(
  "ignores a torn last line, and continues after the lines before it",
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const directory = yield* temporary
    const path = join(directory, WitnessFile.fileName)
    yield* Effect.scoped(Effect.flatMap(WitnessFile.open(directory, "runner-1"), ({ append }) => append([row("a", 1)])))
    const whole = yield* files.readFileString(path)
    for (const torn of [
      whole.slice(0, -5),
      `${whole}{"v":1,"stream":"a","se`,
      `${whole}{"v":1,"stream":"a","seq":2\n`
    ]) {
      yield* files.writeFileString(path, torn)
      yield* Effect.scoped(
        Effect.flatMap(WitnessFile.open(directory, "runner-1"), ({ append }) => append([row("b", 3)]))
      )
      assert.deepInclude(yield* written(directory), row("b", 3))
    }
    assert.deepInclude(yield* written(directory), row("a", 1))
  })
)

test(
  "refuses damage before the last line, and the witness of another node",
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const directory = yield* temporary
    const path = join(directory, WitnessFile.fileName)
    yield* Effect.scoped(
      Effect.flatMap(WitnessFile.open(directory, "runner-1"), ({ append }) => append([row("a", 1), row("b", 1)]))
    )
    const other = yield* Effect.flip(written(directory, "runner-2"))
    assert.include(
      other.message,
      "is the witness of runner-1, not of runner-2; give each node its own VENUE_WITNESS_DIR"
    )
    yield* files.writeFileString(path, (yield* files.readFileString(path)).replace('"seq":1', '"seq":9'))
    assert.include((yield* Effect.flip(written(directory))).message, "line 2 of the witness")
  })
)

test(
  "stops when another process writes to its file",
  Effect.gen(function* () {
    const directory = yield* temporary
    const witness = yield* WitnessFile.open(directory, "runner-1")
    const other = yield* WitnessFile.open(directory, "runner-1")
    yield* other.append([row("a", 1)])
    assert.include((yield* Effect.flip(witness.append([row("a", 2)]))).message, "another process writes to")
  })
)

test(
  "rewrites a long file, so that its size depends on the number of streams",
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const directory = yield* temporary
    const witness = yield* WitnessFile.open(directory, "runner-1", { compactAbove: 4_096 })
    for (let seq = 1; seq <= 500; seq++) yield* witness.append([row("a", seq), row("b", seq)])
    const { size } = yield* files.stat(join(directory, WitnessFile.fileName))
    assert.isBelow(Number(size), 8_192)
    assert.sameDeepMembers([...(yield* written(directory))], [row("a", 500), row("b", 500)])
  })
)
