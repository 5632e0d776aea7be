/** Second factors: what is asked and answered. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { instant } from "../Digits.ts"

/** `POST /factors`. */
export const EnrolRequest = Schema.Struct({
  factor_type: Schema.Literal("totp"),
  friendly_name: Schema.optionalKey(Schema.String.check(Text.atMost(64))),
  issuer: Schema.optionalKey(Schema.String.check(Text.atMost(64)))
})

/** `POST /factors/{id}/verify`: a code of the authenticator, or a recovery code. */
export const VerifyRequest = Schema.Struct({
  challenge_id: Schema.String,
  code: Schema.String.check(Text.atMost(32))
})

export interface Enrolled {
  readonly id: string
  readonly type: "totp"
  readonly friendly_name: string
  /** Shown this once. */
  readonly totp: {
    /** SVG text. */
    readonly qr_code: string
    readonly secret: string
    readonly uri: string
  }
}

export interface Challenged {
  readonly id: string
  readonly type: "totp"
  /** Unix seconds. */
  readonly expires_at: number
}

/** One of a user's factors, without its secret. */
export interface FactorBody {
  readonly id: string
  readonly factor_type: "totp"
  readonly friendly_name: string
  readonly status: "unverified" | "verified"
  readonly created_at: string
  readonly updated_at: string
}

export interface FactorSeen {
  readonly factorId: string
  readonly friendlyName: string
  readonly status: "unverified" | "verified"
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

export const factorBody = (factor: FactorSeen): FactorBody => ({
  id: factor.factorId,
  factor_type: "totp",
  friendly_name: factor.friendlyName,
  status: factor.status,
  created_at: instant(factor.createdAtMillis),
  updated_at: instant(factor.updatedAtMillis)
})
