/** A change that its client may send again: a key names it, and the answer says whether it was done before. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The headers of such a request. */
export const repeatable = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Name that the client gives the request: 1 to 255 visible ASCII characters. A request with the same key and content " +
        "within a day changes nothing and gets the first answer; with other content it is refused with 409.",
      examples: ["7f3a1c52-transfer-1"]
    }).check(Text.matches("^[!-~]{1,255}$", "1 to 255 visible ASCII characters"))
  )
}

/** The answer to one; with the header when it was done before, and nothing is done now. */
export const Repeated = <S extends Schema.Top>(success: S) =>
  HttpApiSchema.WithHeaders(success, {
    [replayedHeader]: Schema.optionalKey(
      Schema.Literal("true").annotate({ description: "Present if the request was a repeat and nothing was done now." })
    )
  })

export const replayedHeader = "idempotent-replayed"
