/** Idempotent requests: a key identifies the request, and a header marks the response to a repeat. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** Request headers of an idempotent operation. */
export const repeatable = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Idempotency key chosen by the client: 1 to 255 visible ASCII characters. Within a day, a repeat with the same key and " +
        "content has no effect and returns the first response. A request with the same key and different content is refused with 422.",
      examples: ["7f3a1c52-transfer-1"]
    }).check(Text.matches("^[!-~]{1,255}$", "1 to 255 visible ASCII characters"))
  )
}

/** Adds the header `idempotent-replayed` to a response. The header is present if the request was a repeat. */
export const Repeated = <S extends Schema.Top>(success: S) =>
  HttpApiSchema.WithHeaders(success, {
    [replayedHeader]: Schema.optionalKey(
      Schema.Literal("true").annotate({ description: "Present if the request was a repeat and had no effect." })
    )
  })

/** Name of the header that marks the response to a repeat. */
export const replayedHeader = "idempotent-replayed"
