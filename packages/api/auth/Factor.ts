/** Bodies about second factors. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { instant } from "../Digits.ts"

/** Body of `POST /factors`. */
export const EnrolRequest = Schema.Struct({
  factor_type: Schema.Literal("totp"),
  friendly_name: Schema.optionalKey(Schema.String.check(Text.atMost(64))),
  issuer: Schema.optionalKey(Schema.String.check(Text.atMost(64)))
})

/** Body of `POST /factors/{id}/verify`; `code` comes from the authenticator, or is a recovery code. */
export const VerifyRequest = Schema.Struct({
  challenge_id: Schema.String,
  code: Schema.String.check(Text.atMost(32))
})

/** New factor with its secret. */
export interface Enrolled {
  readonly id: string
  readonly type: "totp"
  readonly friendly_name: string
  /** Returned only once. */
  readonly totp: {
    /** SVG text. */
    readonly qr_code: string
    readonly secret: string
    readonly uri: string
  }
}

/** Challenge to verify. */
export interface Challenged {
  readonly id: string
  readonly type: "totp"
  /** Unix seconds. */
  readonly expires_at: number
}

/** A user's factor, without its secret. */
export interface FactorBody {
  readonly id: string
  readonly factor_type: "totp"
  readonly friendly_name: string
  readonly status: "unverified" | "verified"
  readonly created_at: string
  readonly updated_at: string
}

/** Factor as the venue stores it, without its secret. */
export interface FactorRecord {
  readonly factorId: string
  readonly friendlyName: string
  readonly status: "unverified" | "verified"
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

/** Returns the body of a factor. */
export const factorBody = (factor: FactorRecord): FactorBody => ({
  id: factor.factorId,
  factor_type: "totp",
  friendly_name: factor.friendlyName,
  status: factor.status,
  created_at: instant(factor.createdAtMillis),
  updated_at: instant(factor.updatedAtMillis)
})
