/** A signing key for tokens: ES256 on P-256, named by its RFC 7638 thumbprint. */
import { Redacted, Result, Schema } from "effect"
import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject
} from "node:crypto"

/** A coordinate or private key: 32 bytes in base64url. */
const Coordinate = Schema.String.check(Schema.isPattern(/^[\w-]{43}$/))

/** The stored form of a key. */
export const PrivateJwk = Schema.Struct({
  kty: Schema.Literal("EC"),
  crv: Schema.Literal("P-256"),
  x: Coordinate,
  y: Coordinate,
  d: Coordinate
})
export type PrivateJwk = typeof PrivateJwk.Type

/** The published form of a key. */
export interface PublicJwk {
  readonly kty: "EC"
  readonly crv: "P-256"
  readonly x: string
  readonly y: string
  readonly kid: string
  readonly alg: "ES256"
  readonly use: "sig"
  readonly key_ops: ReadonlyArray<"verify">
}

export interface SigningKey {
  readonly kid: string
  readonly jwk: Redacted.Redacted<PrivateJwk>
  readonly publicJwk: PublicJwk
  readonly privateKey: Redacted.Redacted<KeyObject>
  readonly publicKey: KeyObject
}

/** The public point is not on the curve, or does not belong to the private key. */
export class WrongKey extends Schema.TaggedError<WrongKey>()("WrongKey", { kid: Schema.String }) {}

export const generate = (): SigningKey => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return keyOf(Schema.decodeUnknownSync(PrivateJwk)(privateKey.export({ format: "jwk" })))
}

export const fromJwk = (jwk: PrivateJwk): Result.Result<SigningKey, WrongKey> =>
  isWhole(jwk) ? Result.succeed(keyOf(jwk)) : Result.fail(new WrongKey({ kid: thumbprint(jwk) }))

const keyOf = ({ crv, d, kty, x, y }: PrivateJwk): SigningKey => {
  const kid = thumbprint({ x, y })
  return {
    kid,
    jwk: Redacted.make({ kty, crv, x, y, d }),
    publicJwk: { kty, crv, x, y, kid, alg: "ES256", use: "sig", key_ops: ["verify"] },
    privateKey: Redacted.make(createPrivateKey({ format: "jwk", key: { kty, crv, x, y, d } })),
    publicKey: createPublicKey({ format: "jwk", key: { kty, crv, x, y } })
  }
}

/** Recomputes the public key, because a damaged key would produce signatures that cannot be verified. */
const isWhole = ({ d, x, y }: PrivateJwk): boolean =>
  Result.match(
    Result.try(() => {
      const curve = createECDH("prime256v1")
      curve.setPrivateKey(d, "base64url")
      return curve.getPublicKey()
    }),
    {
      onFailure: () => false,
      onSuccess: (point) =>
        point.subarray(1, 33).toString("base64url") === x && point.subarray(33).toString("base64url") === y
    }
  )

/** RFC 7638: hash of the required members, ordered by name. */
const thumbprint = ({ x, y }: Pick<PrivateJwk, "x" | "y">): string =>
  createHash("sha256")
    .update(JSON.stringify({ crv: "P-256", kty: "EC", x, y }))
    .digest("base64url")
