/** Bodies of charts: read and sent part by part, so that a long one takes no more memory than a short one. */
import { type ServiceUnavailable, schemaUri } from "@venue/api/Problem"
import { chartCaching } from "@venue/api/rest/ChartRange"
import { plainJson } from "@venue/domain/PlainNumber"
import * as Windows from "@venue/storage/history/Windows"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import { watched } from "./Downloads.ts"

export interface ChartBody {
  /** Name of the schema of the body. */
  readonly schema: string
  /** Member that holds the rows. */
  readonly member: "candles" | "data"
  readonly windows: Windows.Windows
  /** Without it the oldest window comes first. */
  readonly isNewestFirst?: boolean
}

/** Answers with a row for each window; `rowsOf` has them in the order of the body. */
export const make = Effect.map(ApiBaseUrl, (baseUrl) =>
  Effect.fnUntraced(function* (
    { isNewestFirst = false, member, schema, windows }: ChartBody,
    rowsOf: (part: Windows.Windows) => Effect.Effect<ReadonlyArray<unknown>, ServiceUnavailable>
  ) {
    const parts = Windows.parts(windows)
    const [first, ...more] = isNewestFirst ? parts.toReversed() : parts
    // The answer is a stream, which the listener does not rewrite.
    const textOf = (part: Windows.Windows) =>
      Effect.map(rowsOf(part), (rows) => plainJson(JSON.stringify(rows)).slice(1, -1))
    const head = `{"$schema":${JSON.stringify(schemaUri(baseUrl, schema))},"${member}":[`
    const tail = member === "data" ? `],"count":${Windows.count(windows)}}` : "]}"
    // Read before the answer begins, so that most faults still have a status of their own.
    const begun = head + (first === undefined ? "" : yield* textOf(first))
    const options = { contentType: "application/json", headers: chartCaching }
    if (more.length === 0) return HttpServerResponse.text(begun + tail, options)
    const { handedOver, taken } = yield* watched
    const rest = Stream.fromIterable(more).pipe(
      Stream.mapEffect((part) => taken.pipe(Effect.andThen(textOf(part)), Effect.tap(handedOver))),
      Stream.map((text) => `,${text}`),
      Stream.tapError((fault) => Effect.logWarning("a chart was broken off", fault))
    )
    const body = Stream.concat(Stream.make(begun), Stream.concat(rest, Stream.make(tail)))
    return HttpServerResponse.stream(Stream.encodeText(body), options)
  })
)
