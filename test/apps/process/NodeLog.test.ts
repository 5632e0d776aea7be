/** Tests of log output: lock messages of the cluster library take one line, and other messages stay whole. */
import { assert, it } from "@effect/vitest"
import { Console, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as NodeLog from "../../../apps/process/NodeLog.ts"

/** Captures all console output. */
const capture = () => {
  const lines: Array<string> = []
  const log = (...words: ReadonlyArray<unknown>) => void lines.push(words.map(String).join(" "))
  return { lines, console: Object.assign(Object.create(globalThis.console), { log, error: log }) as Console.Console }
}

const slow = new Error("the locks were not renewed", { cause: new Error("Operation timed out after '1s'") })

it.effect("logs a lock message of the cluster library in one line, at most every ten seconds", () =>
  Effect.gen(function* () {
    const { console, lines } = capture()
    const log = yield* Layer.build(NodeLog.layer)
    const say = Effect.failSync(() => slow).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Could not release shards, retrying", cause)),
      Effect.annotateLogs({ module: "effect/cluster/Sharding" }),
      Effect.provideService(Console.Console, console),
      Effect.provide(log)
    )
    yield* Effect.repeat(say, { times: 20 })
    assert.deepStrictEqual(lines, [
      "[00:00:00.000] WARN cluster: Could not release shards, retrying: Operation timed out after '1s'"
    ])
    yield* TestClock.adjust("10 seconds")
    yield* say
    assert.lengthOf(lines, 2)
  }).pipe(Effect.scoped)
)

it.effect("keeps the stack of the venue's own error, even if the cluster library runs the failing code", () =>
  Effect.gen(function* () {
    const { console, lines } = capture()
    const say = Effect.failSync(() => slow).pipe(
      Effect.catchCause((cause) => Effect.logError("price source vendor does not answer", cause)),
      Effect.annotateLogs({ module: "effect/cluster/Sharding" }),
      Effect.provideService(Console.Console, console),
      Effect.provide(yield* Layer.build(NodeLog.layer))
    )
    yield* Effect.repeat(say, { times: 1 })
    const all = lines.join("\n")
    assert.lengthOf(all.match(/price source vendor does not answer/g) ?? [], 2)
    assert.include(all, "the locks were not renewed")
    assert.match(all, /\n\s+at /)
  }).pipe(Effect.scoped)
)

it("the cluster library's source contains the recognised lock messages exactly", () => {
  const source = readFileSync(createRequire(import.meta.url).resolve("effect/cluster/Sharding"), "utf8")
  for (const message of NodeLog.ofLocks) assert.include(source, message)
})
