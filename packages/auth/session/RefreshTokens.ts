/** The text of refresh tokens: drawn at random at first, then each derived from the one before. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHmac } from "node:crypto"

export const tokenBytes = 32
export const saltBytes = 16

export const isToken = (token: Redacted.Redacted): boolean => pattern.test(Redacted.value(token))

export const tokenOf = (bytes: Uint8Array): Redacted.Redacted =>
  Redacted.make(`vrt_${Buffer.from(bytes).toString("base64url")}`)

/**
 * The successor of a token: the same again for the same salt, though only hashes are kept. Neither the database nor an
 * old token tells it, for the server's key is needed too.
 */
export const derive = (serverKey: Redacted.Redacted, token: Redacted.Redacted, salt: Uint8Array): Redacted.Redacted =>
  tokenOf(createHmac("sha256", Redacted.value(serverKey)).update(Redacted.value(token)).update(salt).digest())

const pattern = /^vrt_[\w-]{43}$/
