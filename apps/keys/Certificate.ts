/** X.509 certificates of the nodes' own authority, with Ed25519 keys (RFC 5280, RFC 8410). */
import { Buffer } from "node:buffer"
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Der from "./Der.ts"

/** A certificate and its private key, both as PEM text. */
export interface Certified {
  readonly certificate: string
  readonly key: string
}

export interface Terms {
  readonly nowMillis: number
  readonly days: number
}

/** Makes the certificate of a new authority. Its name is unique, so that two authorities can be trusted together. */
export const authority = (terms: Terms): Certified => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const name = `Venue nodes ${hexOf(4)}`
  const certificate = signed({
    ...terms,
    issuer: name,
    subject: name,
    publicKey,
    signer: privateKey,
    uses: ofAuthority
  })
  return { certificate, key: pemOfKey(privateKey) }
}

/** Issues the certificate of a node. Nodes check that the authority issued it, and not the node's name. */
export const issue = (by: Certified, terms: Terms): Certified => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const certificate = signed({
    ...terms,
    issuer: new X509Certificate(by.certificate).subject.replace(/^CN=/, ""),
    subject: `Venue node ${hexOf(4)}`,
    publicKey,
    signer: createPrivateKey(by.key),
    uses: ofNode
  })
  return { certificate, key: pemOfKey(privateKey) }
}

interface Content extends Terms {
  readonly issuer: string
  readonly subject: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly uses: ReadonlyArray<Uint8Array>
}

const signed = ({ days, issuer, nowMillis, publicKey, signer, subject, uses }: Content): string => {
  const content = Der.sequence(
    Der.tagged(0, Der.integer(Uint8Array.of(2))),
    Der.integer(Uint8Array.from([0x01, ...SecureRandom.randomBytesUnsafe(15)])),
    ed25519,
    nameOf(issuer),
    // An hour earlier, because the clocks of two machines can differ.
    Der.sequence(Der.time(nowMillis - hourMillis), Der.time(nowMillis + days * 24 * hourMillis)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    Der.tagged(3, Der.sequence(...uses))
  )
  const der = Der.sequence(content, ed25519, Der.bits(sign(null, content, signer)))
  const lines = Buffer.from(der)
    .toString("base64")
    .match(/.{1,64}/g)!
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n")
}

const hourMillis = 3_600_000
const ed25519 = Der.sequence(Der.objectId("1.3.101.112"))
const nameOf = (common: string) => Der.sequence(Der.set(Der.sequence(Der.objectId("2.5.4.3"), Der.text(common))))

const critical = (id: string, content: Uint8Array) => Der.sequence(Der.objectId(id), Der.yes, Der.octets(content))
const [basicConstraints, keyUsage, extendedKeyUsage] = ["2.5.29.19", "2.5.29.15", "2.5.29.37"] as const

/** Signs certificates and revocation lists. */
const ofAuthority = [
  critical(basicConstraints, Der.sequence(Der.yes)),
  critical(keyUsage, Der.bits(Uint8Array.of(0b0000_0110), 1))
]
/** Authenticates a TLS server and a TLS client. */
const ofNode = [
  critical(basicConstraints, Der.sequence()),
  critical(keyUsage, Der.bits(Uint8Array.of(0b1000_0000), 7)),
  Der.sequence(
    Der.objectId(extendedKeyUsage),
    Der.octets(Der.sequence(Der.objectId("1.3.6.1.5.5.7.3.1"), Der.objectId("1.3.6.1.5.5.7.3.2")))
  )
]

const pemOfKey = (key: KeyObject): string => String(key.export({ type: "pkcs8", format: "pem" }))
const hexOf = (bytes: number): string => Buffer.from(SecureRandom.randomBytesUnsafe(bytes)).toString("hex")
