/** Exports traces to a collector. */
import { Traces } from "@venue/telemetry/Traces"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Tracing from "../../../apps/process/Tracing.ts"

const node = { kind: "runner", name: "runner-1" }

/** Collector that records the number of spans in each request, and that answers only if `answers` is true. */
const collector = (answers: boolean) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly counts: Array<number>; readonly close: () => void }>((resume) => {
      const counts: Array<number> = []
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (text) => (body += String(text)))
        request.on("end", () => {
          counts.push(JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.length)
          if (answers) response.end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        resume(Effect.succeed({ url, counts, close: () => server.close().closeAllConnections() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const span = { commandId: "0f5a31c2-98d4-4e2b-8a11-2b6f7c9d0e31", step: "desk", startNanos: 1n, endNanos: 2n } as const

const tracesOf = (options: Pick<Tracing.TracingOptions, "otlpUrl" | "traceRatio">) =>
  Effect.provide(Traces, Tracing.layer({ ...node, ...options }))

it.effect("is off without a URL, and with ratio 0", () =>
  Effect.gen(function* () {
    assert.isUndefined(yield* tracesOf({ otlpUrl: Option.none(), traceRatio: 1 }))
    assert.isUndefined(yield* tracesOf({ otlpUrl: Option.some("http://127.0.0.1:1"), traceRatio: 0 }))
  })
)

it.live("sends at most 2,000 spans for each second in which they were recorded", () =>
  Effect.gen(function* () {
    const { counts, url } = yield* collector(true)
    yield* Effect.gen(function* () {
      const traces = yield* Traces
      for (let sent = 0; sent < 20_000; sent++) traces!.record(span)
      traces!.record({ ...span, commandId: "no uuid" })
    }).pipe(Effect.provide(Tracing.layer({ ...node, otlpUrl: Option.some(url), traceRatio: 1 })), Effect.scoped)
    const total = counts.reduce((sum, count) => sum + count, 0)
    assert.isAtLeast(total, 2_000)
    // The loop might span several seconds on a busy machine.
    assert.isBelow(total, 20_000)
  }).pipe(Effect.scoped)
)

it.live("stops although the collector never answers", () =>
  Effect.gen(function* () {
    const { counts, url } = yield* collector(false)
    yield* Effect.gen(function* () {
      const traces = yield* Traces
      traces!.record(span)
    }).pipe(Effect.provide(Tracing.layer({ ...node, otlpUrl: Option.some(url), traceRatio: 1 })), Effect.scoped)
    assert.deepStrictEqual(counts, [1])
  }).pipe(Effect.scoped)
)
