/** Text of refresh tokens: the first is random, each further one is derived from its predecessor. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHmac } from "node:crypto"

export const tokenBytes = 32
export const saltBytes = 16

export const isToken = (token: Redacted.Redacted): boolean => pattern.test(Redacted.value(token))

export const tokenOf = (bytes: Uint8Array): Redacted.Redacted =>
  Redacted.make(`vrt_${Buffer.from(bytes).toString("base64url")}`)

/**
 * Returns the successor of a token. Deterministic for a salt, although only hashes are stored; neither the database
 * nor an old token reveals it without the server's key.
 */
export const derive = (serverKey: Redacted.Redacted, token: Redacted.Redacted, salt: Uint8Array): Redacted.Redacted =>
  tokenOf(createHmac("sha256", Redacted.value(serverKey)).update(Redacted.value(token)).update(salt).digest())

const pattern = /^vrt_[\w-]{43}$/
