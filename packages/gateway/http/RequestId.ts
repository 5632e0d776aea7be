/** Request id, which appears in the response and in the log. It comes from a trusted proxy or is new. */
import * as AllowList from "@venue/auth/access/AllowList"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { peerOf, type Request } from "./ClientAddress.ts"

export type RequestIdOf = (request: Request) => string

/** Returns the id that a trusted proxy sends as a UUID with or without hyphens, or a new id otherwise. */
export const from = (trustedProxies: ReadonlyArray<string>): RequestIdOf => {
  const isProxy = AllowList.of(trustedProxies)
  return (request) => {
    const given = request.headers["x-request-id"]
    return typeof given === "string" && uuid.test(given) && isProxy(peerOf(request)) ? given : fresh()
  }
}

export const fresh = (): string => SecureRandom.uuidV4Unsafe()

/** Returns a problem's `instance` URI, which is a UUID URN (RFC 9562). */
export const uriOf = (id: string): string =>
  `urn:uuid:${id
    .toLowerCase()
    .replaceAll("-", "")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`

const uuid = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i
