/** Chart bodies, which are read and sent in parts so that memory use does not grow with the chart's length. */
import { type ServiceUnavailable, schemaUri } from "@venue/api/Problem"
import { chartCaching } from "@venue/api/rest/ChartRange"
import { plainJson } from "@venue/domain/PlainNumber"
import * as Windows from "@venue/storage/history/Windows"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import { watched } from "./Downloads.ts"

export interface ChartBody {
  /** Schema name of the body. */
  readonly schema: string
  /** Member that holds the rows. */
  readonly member: "candles" | "data"
  readonly windows: Windows.Windows
  /** Order of the rows; default: oldest first. */
  readonly isNewestFirst?: boolean
}

/** Returns a response with one row per window. `rowsOf` returns rows in the body's order. */
export const make = Effect.map(ApiBaseUrl, (baseUrl) =>
  Effect.fnUntraced(function* (
    { isNewestFirst = false, member, schema, windows }: ChartBody,
    rowsOf: (part: Windows.Windows) => Effect.Effect<ReadonlyArray<unknown>, ServiceUnavailable>
  ) {
    const parts = Windows.parts(windows)
    const [first, ...more] = isNewestFirst ? parts.toReversed() : parts
    // Formatted here, because the listener does not rewrite numbers in streams.
    const textOf = (part: Windows.Windows) =>
      Effect.map(rowsOf(part), (rows) => plainJson(JSON.stringify(rows)).slice(1, -1))
    const head = `{"$schema":${JSON.stringify(schemaUri(baseUrl, schema))},"${member}":[`
    const tail = member === "data" ? `],"count":${Windows.count(windows)}}` : "]}"
    // The first part is read before the response begins, so that most errors still get their own status.
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
