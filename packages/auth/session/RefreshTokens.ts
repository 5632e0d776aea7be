/** Text of refresh tokens: the first token is random, and each later token is derived from the previous one. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHmac } from "node:crypto"

export const tokenBytes = 32
export const saltBytes = 16

export const isToken = (token: Redacted.Redacted): boolean => pattern.test(Redacted.value(token))

export const tokenOf = (bytes: Uint8Array): Redacted.Redacted =>
  Redacted.make(`vrt_${Buffer.from(bytes).toString("base64url")}`)

/**
 * Returns the next token. The result depends only on the arguments, so it can be recomputed although only hashes are
 * stored. Without the server key, neither the database nor an old token reveals the next token.
 */
export const derive = (serverKey: Redacted.Redacted, token: Redacted.Redacted, salt: Uint8Array): Redacted.Redacted =>
  tokenOf(createHmac("sha256", Redacted.value(serverKey)).update(Redacted.value(token)).update(salt).digest())

const pattern = /^vrt_[\w-]{43}$/
