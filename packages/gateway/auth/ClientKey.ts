/** The `apikey` of the venue's own clients: it names them and is no secret, yet nobody learns it here. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isSameText } from "../SameText.ts"
import { type Refused, refused } from "./Answer.ts"

/** `Authorization`, where it is sent along, says the same. */
export const demand =
  (keys: ReadonlyArray<string>) =>
  ({ headers }: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Refused> => {
    const { apikey = "", authorization } = headers
    const isKnown = keys.map((key) => isSameText(apikey, key)).includes(true)
    const agrees =
      authorization === undefined || isSameText(authorization.replace(/^bearer +/i, "Bearer "), `Bearer ${apikey}`)
    return isKnown && agrees ? Effect.void : Effect.fail(refused("client_key_refused"))
  }
