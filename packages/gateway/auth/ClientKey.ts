/** Checks the `apikey` of the venue's own clients. The value is public, but no response contains it. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isSameText } from "../http/SameText.ts"
import { type Refused, refused } from "./Refused.ts"

export const demand =
  (keys: ReadonlyArray<string>) =>
  ({ headers }: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Refused> =>
    isShown(keys, headers) ? Effect.void : Effect.fail(refused("client_key_refused"))

/** Returns whether `apikey` is known. An `Authorization` header, if present, must carry the same value. */
export const isShown = (
  keys: ReadonlyArray<string>,
  { apikey, authorization }: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
): boolean => {
  const shown = typeof apikey === "string" ? apikey : ""
  const isKnown = keys.map((key) => isSameText(shown, key)).includes(true)
  if (authorization === undefined) return isKnown
  const agrees =
    typeof authorization === "string" && isSameText(authorization.replace(/^bearer +/i, "Bearer "), `Bearer ${shown}`)
  return isKnown && agrees
}
