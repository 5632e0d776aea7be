/** Bodies of charts, read and sent in parts, so that memory does not grow with the length of a chart. */
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
  /** Order of the rows; default: oldest first. */
  readonly isNewestFirst?: boolean
}

/** Answers with one row for each window; `rowsOf` returns rows in the order of the body. */
export const make = Effect.map(ApiBaseUrl, (baseUrl) =>
  Effect.fnUntraced(function* (
    { isNewestFirst = false, member, schema, windows }: ChartBody,
    rowsOf: (part: Windows.Windows) => Effect.Effect<ReadonlyArray<unknown>, ServiceUnavailable>
  ) {
    const parts = Windows.parts(windows)
    const [first, ...more] = isNewestFirst ? parts.toReversed() : parts
    // Formatted here: the listener does not rewrite streams.
    const textOf = (part: Windows.Windows) =>
      Effect.map(rowsOf(part), (rows) => plainJson(JSON.stringify(rows)).slice(1, -1))
    const head = `{"$schema":${JSON.stringify(schemaUri(baseUrl, schema))},"${member}":[`
    const tail = member === "data" ? `],"count":${Windows.count(windows)}}` : "]}"
    // The first part is read before the answer begins, so that most errors still have their status.
    const begun = head + (first === undefined ? "" : yield* textOf(first))
    const options = { contentType: "application/json", headers: chartCaching }
    if (more.length === 0) return HttpServerResponse.text(begun + tail, options)
    const { handedOver, taken } = yield* watched
    const rest = Stream.fromIterable(more).pipe(
      Stream.mapEffect((part) => taken.pipe(Effect.andThen(textOf(part)), Effect.tap(handedOver))),
      Stream.map((text) => `,${text}`),
      Stream.tapError((fault) => Effect.logWarning("a chart was aborted: a part could not be read", fault))
    )
    const body = Stream.concat(Stream.make(begun), Stream.concat(rest, Stream.make(tail)))
    return HttpServerResponse.stream(Stream.encodeText(body), options)
  })
)
