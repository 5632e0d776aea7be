/** Tests of log output: one JSON object or dated text per entry; known messages of the libraries take one line. */
import { assert, it } from "@effect/vitest"
import { release } from "@venue/api/Release"
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

const logger = (format: NodeLog.LogOptions["format"], level: NodeLog.LogOptions["level"] = "warn") =>
  Layer.build(Layer.fresh(NodeLog.layer({ format, level })))

it.effect("logs a lock message of the cluster library as one line, at most once every ten seconds", () =>
  Effect.gen(function* () {
    const { console, lines } = capture()
    const log = yield* logger("text")
    const say = Effect.failSync(() => slow).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Could not release shards, retrying", cause)),
      Effect.annotateLogs({ module: "effect/cluster/Sharding" }),
      Effect.provideService(Console.Console, console),
      Effect.provide(log)
    )
    yield* Effect.repeat(say, { times: 20 })
    assert.deepStrictEqual(lines, [
      "1970-01-01T00:00:00.000Z WARN cluster: Could not release shards, retrying: Operation timed out after '1s'"
    ])
    yield* TestClock.adjust("10 seconds")
    yield* say
    assert.lengthOf(lines, 2)
  }).pipe(Effect.scoped)
)

it.effect("if another node closes its connection, logs a one-line warning without a stack", () =>
  Effect.gen(function* () {
    const { console, lines } = capture()
    yield* Effect.failSync(() => new Error("An error occurred during Read", { cause: new Error("ECONNRESET") })).pipe(
      Effect.catchCause((cause) => Effect.logError(cause, "Unhandled error in SocketServer")),
      Effect.provideService(Console.Console, console),
      Effect.provide(yield* logger("text"))
    )
    assert.deepStrictEqual(lines, [
      "1970-01-01T00:00:00.000Z WARN cluster: another node closed its connection to this node: ECONNRESET"
    ])
  }).pipe(Effect.scoped)
)

it.effect("logs the stack of the venue's own error, even if the cluster library ran the failing code", () =>
  Effect.gen(function* () {
    const { console, lines } = capture()
    const say = Effect.failSync(() => slow).pipe(
      Effect.catchCause((cause) => Effect.logError("price source vendor does not answer", cause)),
      Effect.annotateLogs({ module: "effect/cluster/Sharding" }),
      Effect.provideService(Console.Console, console),
      Effect.provide(yield* logger("text"))
    )
    yield* Effect.repeat(say, { times: 1 })
    const all = lines.join("\n")
    assert.lengthOf(all.match(/price source vendor does not answer/g) ?? [], 2)
    assert.include(all, "the locks were not renewed")
    assert.match(all, /\n\s+at /)
  }).pipe(Effect.scoped)
)

it.effect("writes a log entry of at least the minimum level as one JSON object that includes the stack", () =>
  Effect.gen(function* () {
    const { console, lines } = capture()
    const log = yield* logger("json", "info")
    NodeLog.identify("gateway-1")
    yield* Effect.gen(function* () {
      yield* Effect.logDebug("hidden")
      yield* Effect.logInfo("request").pipe(Effect.annotateLogs({ status: 200, route: "/refdata", requestId: "r-1" }))
      yield* Effect.logError("a market stopped", { symbol: "AAPL-USD" }, new Error("boom"))
      yield* NodeLog.announce("gateway-1 ready")
    }).pipe(Effect.provideService(Console.Console, console), Effect.provide(log))
    NodeLog.identify("")
    const [request, stopped, ready] = lines.map((line) => JSON.parse(line))
    const usual = { time: "1970-01-01T00:00:00.000Z", node: "gateway-1", release }
    assert.lengthOf(lines, 3)
    assert.deepStrictEqual(request, {
      ...usual,
      level: "INFO",
      message: "request",
      fields: { status: 200, route: "/refdata", requestId: "r-1" }
    })
    assert.deepInclude(stopped, { ...usual, level: "ERROR" })
    assert.include(stopped.message, 'a market stopped {"symbol":"AAPL-USD"}')
    assert.include(lines[1], "boom")
    assert.deepStrictEqual(ready, { ...usual, level: "INFO", message: "gateway-1 ready" })
    // Later tests of this process expect text.
    yield* logger("text")
  }).pipe(Effect.scoped)
)

it("the sources of the libraries contain every message that the venue recognises", () => {
  const { resolve } = createRequire(import.meta.url)
  const server = createRequire(resolve("@effect/platform-node/NodeServices")).resolve(
    "@effect/platform-node-shared/NodeSocketServer"
  )
  const sources = [resolve("effect/cluster/Sharding"), server].map((file) => readFileSync(file, "utf8")).join("\n")
  for (const { message } of NodeLog.ofLibraries) assert.include(sources, message)
})
