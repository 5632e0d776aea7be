/** Tests of retries, halved batches and remembered sizes for one endpoint that refuses requests. */
import * as Bulk from "@venue/providers/rails/arbitrum/Bulk"
import * as RpcEndpoint from "@venue/providers/rails/arbitrum/RpcEndpoint"
import { RpcFault } from "@venue/providers/rails/arbitrum/RpcFault"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger, Redacted, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"

interface Call {
  readonly id: number
  readonly method: string
}
interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

const tooFast = { code: 429, message: "exceeded its compute units" }
const resultsOf = (calls: ReadonlyArray<Call>) => calls.map(({ id }) => ({ jsonrpc: "2.0", id, result: "0x1" }))

/** Returns an endpoint whose responses `answer` decides (default: success), and the number of calls in each request. */
const scripted = Effect.fnUntraced(function* (
  answer: (calls: ReadonlyArray<Call>, isArray: boolean, request: number) => Answer | undefined
) {
  const asked: Array<number> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      const { body } = request as unknown as { readonly body: { readonly body: Uint8Array } }
      const sent = JSON.parse(new TextDecoder().decode(body.body)) as Call | ReadonlyArray<Call>
      const calls = Array.isArray(sent) ? (sent as ReadonlyArray<Call>) : [sent as Call]
      asked.push(calls.length)
      const results: Answer = { body: Array.isArray(sent) ? resultsOf(calls) : resultsOf(calls)[0] }
      const { body: answered, headers = {}, status = 200 } = answer(calls, Array.isArray(sent), asked.length) ?? results
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(answered), { status, headers }))
    })
  )
  const endpoint = yield* RpcEndpoint.make("endpoint 1", Redacted.make("http://127.0.0.1:1")).pipe(
    Effect.provideService(HttpClient.HttpClient, client)
  )
  return { asked, endpoint }
})

const callsOf = (count: number, method = "eth_getTransactionReceipt") =>
  Array.from({ length: count }, () => RpcEndpoint.call(method, [], Schema.String))

/** Runs the effect, and advances the test clock until it has finished. */
const passing = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(Effect.result(effect))
    const turn = Effect.andThen(
      TestClock.adjust("50 millis"),
      Effect.promise(() => setTimeout(1))
    )
    yield* Effect.repeat(turn, { until: () => running.pollUnsafe() !== undefined })
    return yield* Fiber.join(running)
  })

const logged = (lines: Array<string>) =>
  Logger.layer([Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))])

describe("batches at a rate limit", () => {
  it.effect("keeps the batch size while an endpoint refuses requests because of its rate limit", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const { asked, endpoint } = yield* scripted((_calls, _isArray, request) =>
        request <= 4 ? { body: { error: tooFast } } : undefined
      )
      const first = yield* Effect.provide(passing(endpoint.ask(callsOf(20))), logged(lines))
      assert.deepInclude(first, { _tag: "Failure" })
      yield* passing(endpoint.ask(callsOf(20)))
      assert.deepStrictEqual(asked, [20, 20, 20, 20, 20])
      assert.deepStrictEqual(lines, [])
    })
  )

  it.effect("sends nothing during the Retry-After period, and keeps the batch size afterwards", () =>
    Effect.gen(function* () {
      const { asked, endpoint } = yield* scripted((_calls, _isArray, request) =>
        request === 1 ? { status: 429, headers: { "retry-after": "30" }, body: { error: tooFast } } : undefined
      )
      yield* passing(endpoint.ask(callsOf(20)))
      yield* passing(endpoint.ask(callsOf(20)))
      assert.deepStrictEqual(asked, [20])
      yield* TestClock.adjust("30 seconds")
      yield* passing(endpoint.ask(callsOf(20)))
      assert.deepStrictEqual(asked, [20, 20])
    })
  )

  const inPart = (calls: ReadonlyArray<Call>, answered: number): Answer => ({
    body: resultsOf(calls).map((result, index) => (index < answered ? result : { id: result.id, error: tooFast }))
  })

  it.effect("retries a batch after a pause if only some of its calls succeeded", () =>
    Effect.gen(function* () {
      const { asked, endpoint } = yield* scripted((calls, _isArray, request) =>
        request <= 2 ? inPart(calls, 5) : undefined
      )
      const startedAt = yield* Clock.currentTimeMillis
      const done = yield* passing(endpoint.ask(callsOf(20)))
      assert.deepInclude(done, { _tag: "Success" })
      assert.deepStrictEqual(asked, [20, 20, 20])
      assert.isAtLeast((yield* Clock.currentTimeMillis) - startedAt, 250 + 500)
    })
  )

  it.effect("halves a batch that is still incomplete after all retries, and sends the next batch whole", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const { asked, endpoint } = yield* scripted((calls) => (calls.length > 12 ? inPart(calls, 12) : undefined))
      assert.deepInclude(yield* Effect.provide(passing(endpoint.ask(callsOf(20))), logged(lines)), {
        _tag: "Success"
      })
      assert.deepStrictEqual(asked, [20, 20, 20, 20, 10, 10])
      assert.deepStrictEqual(lines, [])
      yield* passing(endpoint.ask(callsOf(20)))
      assert.strictEqual(asked[6], 20)
    })
  )
})

describe("limits that can mean rate or size", () => {
  const exceeded: Answer = { body: { error: { code: -32_005, message: "limit exceeded" } } }

  it.effect("treats an ambiguous limit as a size limit if only log requests are still refused", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* scripted(([call]) => (call!.method === "eth_getLogs" ? exceeded : undefined))
      const result = yield* passing(endpoint.ask(callsOf(1, "eth_getLogs")))
      assert.deepInclude(result, { _tag: "Failure" })
      assert.strictEqual(result._tag === "Failure" ? result.failure.kind : undefined, "refusal")
    })
  )

  for (const method of ["eth_getLogs", "eth_getTransactionReceipt"])
    it.effect(`treats an ambiguous limit as a rate limit if every request is refused: ${method}`, () =>
      Effect.gen(function* () {
        const { endpoint } = yield* scripted(() => exceeded)
        const result = yield* passing(endpoint.ask(callsOf(1, method)))
        assert.strictEqual(result._tag === "Failure" ? result.failure.kind : undefined, "rate")
      })
    )
})

it.effect("sends single calls for 10 minutes after an endpoint refused an array, and logs this", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    let isRefusing = true
    const arrays: Array<boolean> = []
    const { endpoint } = yield* scripted((_calls, isArray) => {
      arrays.push(isArray)
      return isRefusing && isArray ? { status: 504, body: "" } : undefined
    })
    yield* Effect.provide(passing(endpoint.ask(callsOf(1))), logged(lines))
    isRefusing = false
    yield* passing(endpoint.ask(callsOf(2)))
    assert.deepStrictEqual(arrays, [true, false, false, false])
    assert.deepStrictEqual(lines, [
      "Arbitrum One: endpoint 1: the server returned status 504. The venue sends calls one by one instead of in batches for 10 minutes"
    ])
    yield* TestClock.adjust("10 minutes")
    yield* passing(endpoint.ask(callsOf(2)))
    assert.deepStrictEqual(arrays.slice(4), [true])
  })
)

describe("remembered sizes", () => {
  const tooMany = new RpcFault({ endpoint: "endpoint 1", reason: "too many calls", kind: "refusal" })
  const taking = (most: number, sizes: Array<number>) => (_start: number, part: number) =>
    Effect.suspend(() => {
      sizes.push(part)
      return part > most ? Effect.fail(tooMany) : Effect.succeed(Array.from({ length: part }, () => part))
    })

  for (const [count, most, parts, size] of [
    [51, 30, [50, 25, 25, 1], 25],
    [50, 30, [50, 25, 25], 25],
    [7, 3, [7, 3, 3, 1], 3],
    [3, 1, [3, 1, 1, 1], 1]
  ] as const)
    it.effect(
      `remembers a size of ${size} for ${count} calls at a limit of ${most}, whatever the size of the last part`,
      () =>
        Effect.gen(function* () {
          const lines: Array<string> = []
          const sizes: Array<number> = []
          const limit = Bulk.make("calls", "VENUE_ARBITRUM_CALLS_AT_ONCE")
          const all = yield* Effect.provide(Bulk.inParts(limit, 50, count, taking(most, sizes)), logged(lines))
          assert.lengthOf(all, count)
          assert.deepStrictEqual(sizes, [...parts])
          assert.strictEqual(yield* limit.size(50), size)
          assert.deepStrictEqual(lines, [
            `Arbitrum One: endpoint 1: too many calls. The venue sends at most ${size} calls per request for 10 minutes; set VENUE_ARBITRUM_CALLS_AT_ONCE to ${size} or less`
          ])
          yield* TestClock.adjust("10 minutes")
          assert.strictEqual(yield* limit.size(50), 50)
        })
    )
})
