/** Sends traces of the order path to a collector over OTLP/HTTP. Without a URL, tracing is off and costs nothing. */
import { release } from "@venue/api/Release"
import * as Nodes from "@venue/telemetry/catalogue/Nodes"
import * as Meter from "@venue/telemetry/Meter"
import { idsOf, sampler, type Span, type Step, Traces } from "@venue/telemetry/Traces"
import { Clock, Config, Effect, Layer, Option, Schema } from "effect"
import * as Hex from "effect/encoding/Hex"
import { FetchHttpClient, HttpClient } from "effect/http"
import { OtlpExporter, OtlpResource, OtlpSerialization, type OtlpTracer } from "effect/observability"
import * as Setting from "./Setting.ts"

const nodes: ReadonlyArray<Setting.Reader> = ["runner", "gateway"]

const share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "a number from 0 to 1" }))

export const settings = {
  otlpUrl: Config.option(
    Setting.string("VENUE_OTLP_URL", {
      meaning:
        "Base URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`, which receives traces over OTLP/HTTP",
      readers: nodes,
      changes: "process"
    })
  ),
  traceRatio: Setting.decoded("VENUE_TRACE_RATIO", Schema.NumberFromString.pipe(Schema.decodeTo(share)), {
    default: 0,
    meaning:
      "Share of orders that are traced, from 0 to 1; set the same value on all nodes, so that traces are complete",
    readers: nodes,
    changes: "process"
  })
}

export interface TracingOptions {
  readonly kind: string
  readonly name: string
  readonly otlpUrl: Option.Option<string>
  readonly traceRatio: number
}

/** Provides `Traces`, which stays undefined without a URL or with ratio 0. */
export const layer = ({ kind, name, otlpUrl, traceRatio }: TracingOptions): Layer.Layer<never> =>
  Option.isNone(otlpUrl) || traceRatio === 0
    ? Layer.empty
    : Layer.effect(Traces, make(otlpUrl.value, traceRatio, { kind, name })).pipe(
        Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, boundedClient])
      )

const make = Effect.fnUntraced(function* (
  url: string,
  ratio: number,
  node: { readonly kind: string; readonly name: string }
) {
  const clock = yield* Clock.Clock
  const { traces } = yield* OtlpSerialization.OtlpSerialization
  const dropped = yield* Meter.counter(Nodes.spansDropped, {})
  const resource = OtlpResource.make({
    serviceName: `venue-${node.kind}`,
    serviceVersion: release,
    attributes: { "service.instance.id": node.name }
  })
  const exporter = yield* OtlpExporter.make({
    label: "Venue",
    url: `${url.replace(/\/+$/, "")}/v1/traces`,
    headers: undefined,
    exportInterval: "1 second",
    maxBatchSize: 1_000,
    shutdownTimeout: "3 seconds",
    body: (spans) => [
      traces({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "venue", version: release }, spans }] }] }),
      Effect.void
    ]
  })
  let [second, count] = [0, 0]
  return {
    isSampled: sampler(ratio),
    record: (span: Span) => {
      const now = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
      if (now !== second) [second, count] = [now, 0]
      if (count >= maxSpansPerSecond) return dropped()
      const encoded = encode(span)
      if (encoded === undefined) return dropped()
      count++
      exporter.push(encoded)
    }
  }
})

/** Bounds the spans in memory, together with the time limit of a request. */
const maxSpansPerSecond = 2_000

/** A collector that does not answer makes the exporter drop spans for a minute. */
const boundedClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transformResponse(
      Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.die("the collector does not answer") })
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))

type OtlpSpan = OtlpTracer.TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]

const encode = ({ attributes = {}, commandId, endNanos, startNanos, step }: Span): OtlpSpan | undefined => {
  const ids = idsOf(commandId)
  if (ids === undefined) return undefined
  const isRoot = step === "gateway"
  return {
    traceId: ids.traceId,
    spanId: isRoot ? ids.rootSpanId : Hex.random(16),
    parentSpanId: isRoot ? undefined : ids.rootSpanId,
    name: step,
    kind: kinds[step],
    startTimeUnixNano: String(startNanos),
    endTimeUnixNano: String(endNanos),
    attributes: OtlpResource.entriesToAttributes(Object.entries({ ...attributes, "venue.command_id": commandId })),
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    status: { code: 1 },
    links: [],
    droppedLinksCount: 0
  }
}

/** Span kinds of OTLP: 2 is a server, 1 is internal. */
const kinds: Readonly<Record<Step, number>> = { gateway: 2, desk: 1, market: 1, journal: 1 }
