/** The id of a request, in its answer and in the log: the one that a proxy of ours gave it, or one of our own. */
import * as AllowList from "@venue/auth/access/AllowList"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { peerOf, type Request } from "./ClientAddress.ts"

export type RequestIdOf = (request: Request) => string

/** What is no UUID, with or without hyphens, is nobody's id, whoever says it. */
export const from = (trustedProxies: ReadonlyArray<string>): RequestIdOf => {
  const isProxy = AllowList.of(trustedProxies)
  return (request) => {
    const given = request.headers["x-request-id"]
    return typeof given === "string" && uuid.test(given) && isProxy(peerOf(request)) ? given : fresh()
  }
}

export const fresh = (): string => SecureRandom.uuidV4Unsafe()

/** Names one occurrence of a problem, as RFC 9562 writes it. */
export const uriOf = (id: string): string =>
  `urn:uuid:${id
    .toLowerCase()
    .replaceAll("-", "")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`

const uuid = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i
