/** Encrypts stored secrets with AES-256-GCM, under a key derived from the venue's secret key. */
import { Context, Layer, Redacted, Result } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto"
import { hashOf } from "./SecretHash.ts"

/*
 * sealed:  1 | nonce, 12 bytes | ciphertext | tag, 16 bytes
 */
export class Seal extends Context.Service<
  Seal,
  {
    /** Encrypts a secret for `name`, such as its owner's id. The secret can be decrypted only with the same name. */
    readonly seal: (secret: Redacted.Redacted, name: string) => Uint8Array
    /** Decrypts a sealed secret. Throws if no key or the name fits, or if a byte was changed. */
    readonly open: (sealed: Uint8Array, name: string) => Redacted.Redacted
    /** Returns whether the secret is sealed under the key that seals new secrets. */
    readonly isCurrent: (sealed: Uint8Array, name: string) => boolean
    /** Returns a fingerprint of 16 digits that distinguishes the secrets of a name and reveals nothing else. */
    readonly mark: (secret: Redacted.Redacted, name: string) => string
  }
>()("@venue/postgres/Seal") {
  /**
   * A secret key is a random text of at least 32 characters; with a shorter key the start fails. The first key seals
   * and opens; the others, which are being replaced, only open.
   */
  static readonly layer = (
    ...secretKeys: readonly [Redacted.Redacted, ...Array<Redacted.Redacted>]
  ): Layer.Layer<Seal> =>
    Layer.sync(Seal, () => {
      const keys = secretKeys.map(sealKeyOf)
      const key = keys[0]!
      const markKey = markKeyOf(secretKeys[0])
      return Seal.of({
        mark: (secret, name) =>
          createHmac("sha256", Redacted.value(markKey))
            .update(`${name}\0${Redacted.value(secret)}`)
            .digest("hex")
            .slice(0, 16),
        seal: (secret, name) => {
          const nonce = SecureRandom.randomBytesUnsafe(nonceLength)
          const cipher = createCipheriv("aes-256-gcm", Redacted.value(key), nonce).setAAD(Buffer.from(name))
          const text = [cipher.update(Redacted.value(secret), "utf8"), cipher.final()]
          return new Uint8Array(Buffer.concat([Uint8Array.of(version), nonce, ...text, cipher.getAuthTag()]))
        },
        open: (sealed, name) => {
          for (const each of keys) {
            const secret = opens(each, sealed, name)
            if (secret !== undefined) return secret
          }
          throw new Error("a sealed secret belongs to another secret key or name, or was changed")
        },
        isCurrent: (sealed, name) => opens(key, sealed, name) !== undefined
      })
    })
}

/** Encodes without encryption, for a venue in memory, which stores nothing. */
export const unsealed: Seal["Service"] = {
  seal: (secret) => new TextEncoder().encode(Redacted.value(secret)),
  open: (bytes) => Redacted.make(new TextDecoder().decode(bytes)),
  isCurrent: () => true,
  mark: hashOf
}

type SealKey = Redacted.Redacted<Uint8Array>

const sealKeyOf = (secretKey: Redacted.Redacted): SealKey => {
  if (Redacted.value(secretKey).length < minKeyLength) {
    throw new Error(`the venue's secret key has fewer than ${minKeyLength} characters`)
  }
  return Redacted.make(new Uint8Array(hkdfSync("sha256", Redacted.value(secretKey), "", "venue api secrets", 32)))
}

const markKeyOf = (secretKey: Redacted.Redacted): SealKey =>
  Redacted.make(new Uint8Array(hkdfSync("sha256", Redacted.value(secretKey), "", "venue secret marks", 32)))

/** Returns the secret, or undefined if the key or name differs or a byte was changed. */
const opens = (key: SealKey, sealed: Uint8Array, name: string): Redacted.Redacted | undefined => {
  if (sealed[0] !== version || sealed.length < 1 + nonceLength + tagLength) {
    throw new Error("a sealed secret has a format that this release cannot read")
  }
  const nonce = sealed.subarray(1, 1 + nonceLength)
  const decipher = createDecipheriv("aes-256-gcm", Redacted.value(key), nonce, { authTagLength: tagLength })
  decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(-tagLength))
  const text = decipher.update(sealed.subarray(1 + nonceLength, -tagLength))
  const last = Result.try(() => decipher.final())
  return Result.isSuccess(last) ? Redacted.make(Buffer.concat([text, last.success]).toString("utf8")) : undefined
}

const version = 1
const minKeyLength = 32
const nonceLength = 12
const tagLength = 16
