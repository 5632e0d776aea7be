/** Id of a request, in its answer and in the log: from a trusted proxy, or a new one. */
import * as AllowList from "@venue/auth/access/AllowList"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { peerOf, type Request } from "./ClientAddress.ts"

export type RequestIdOf = (request: Request) => string

/** Returns the id that a trusted proxy sends as a UUID, with or without hyphens; otherwise a new one. */
export const from = (trustedProxies: ReadonlyArray<string>): RequestIdOf => {
  const isProxy = AllowList.of(trustedProxies)
  return (request) => {
    const given = request.headers["x-request-id"]
    return typeof given === "string" && uuid.test(given) && isProxy(peerOf(request)) ? given : fresh()
  }
}

/** Returns a new id. */
export const fresh = (): string => SecureRandom.uuidV4Unsafe()

/** Returns the `instance` URI of a problem, a UUID URN (RFC 9562). */
export const uriOf = (id: string): string =>
  `urn:uuid:${id
    .toLowerCase()
    .replaceAll("-", "")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`

const uuid = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i
