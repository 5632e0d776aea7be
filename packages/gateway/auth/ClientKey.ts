/** The `apikey` of the venue's own clients: it names them and is no secret, yet nobody learns it here. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isSameText } from "../http/SameText.ts"
import { type Refused, refused } from "./Refused.ts"

export const demand =
  (keys: ReadonlyArray<string>) =>
  ({ headers }: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Refused> =>
    isShown(keys, headers) ? Effect.void : Effect.fail(refused("client_key_refused"))

/** `Authorization`, where it is sent along, says the same. */
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
