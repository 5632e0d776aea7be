/** Idempotent requests: a key identifies the request, and a header marks the response to a repeat. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** Request headers of an idempotent operation. */
export const repeatable = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Key that the client chooses to identify the request, 1 to 255 visible ASCII characters. Within a day, a request " +
        "with the same key and content changes nothing and gets the first response again; with other content it is refused with 422.",
      examples: ["7f3a1c52-transfer-1"]
    }).check(Text.matches("^[!-~]{1,255}$", "1 to 255 visible ASCII characters"))
  )
}

/** Adds the header `idempotent-replayed` to a response, present if the request was a repeat. */
export const Repeated = <S extends Schema.Top>(success: S) =>
  HttpApiSchema.WithHeaders(success, {
    [replayedHeader]: Schema.optionalKey(
      Schema.Literal("true").annotate({ description: "Present if the request was a repeat and changed nothing." })
    )
  })

/** Name of the header that marks the response to a repeat. */
export const replayedHeader = "idempotent-replayed"
