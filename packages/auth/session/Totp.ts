/** Time-based one-time passwords: six digits that change every 30 s, as in authenticator apps (RFC 6238 with SHA-1). */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHmac, timingSafeEqual } from "node:crypto"

/** Size of a new secret in bytes, equal to the output size of SHA-1. */
export const secretBytes = 20

/** Returns a secret in base32, the form that authenticator apps accept. */
export const secretOf = (bytes: Uint8Array): Redacted.Redacted => {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("")
  const groups = bits.match(/.{1,5}/g) ?? []
  return Redacted.make(groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, "0"), 2)]).join(""))
}

/** Returns the code's time step (current, previous or next), or undefined if the code matches none of the three. */
export const stepOf = (secret: Redacted.Redacted, code: Redacted.Redacted, nowMillis: number): number | undefined => {
  const given = Buffer.from(Redacted.value(code))
  if (given.length !== digits) return undefined
  const now = Math.floor(nowMillis / stepMillis)
  const key = bytesOf(secret)
  // Computes and compares all three codes, so that the time reveals nothing.
  return [now - 1, now, now + 1].filter((step) => timingSafeEqual(Buffer.from(codeAt(key, step)), given)).at(-1)
}

/** Returns the URI that an authenticator app scans, with issuer and account name escaped. */
export const uri = (secret: Redacted.Redacted, issuer: string, account: string): Redacted.Redacted => {
  const [from, name] = [issuer, account].map((text) => encodeURIComponent(text.toWellFormed()))
  return Redacted.make(
    `otpauth://totp/${from}:${name}?secret=${Redacted.value(secret)}&issuer=${from}&algorithm=SHA1&digits=${digits}&period=${stepMillis / 1000}`
  )
}

const stepMillis = 30_000
const digits = 6
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

const bytesOf = (secret: Redacted.Redacted): Uint8Array => {
  const bits = Array.from(Redacted.value(secret), (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"))
  const whole = bits.join("").match(/.{8}/g) ?? []
  return Uint8Array.from(whole, (byte) => Number.parseInt(byte, 2))
}

const codeAt = (key: Uint8Array, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(step))
  const hash = createHmac("sha1", key).update(counter).digest()
  const at = hash[hash.length - 1]! & 0xf
  return String((hash.readUInt32BE(at) & 0x7fff_ffff) % 10 ** digits).padStart(digits, "0")
}
