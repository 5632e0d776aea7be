/** A session as its holder gets it, and what is asked to begin or prolong one. */
import { Schema } from "effect"
import type { Member } from "../Brand.ts"
import type { UserBody } from "./User.ts"

const Security = Schema.Struct({ captcha_token: Schema.optionalKey(Schema.String) })

/** `POST /token?grant_type=web3`. The second name of the captcha's place is the one that auth-js sends. */
export const Web3Request = Schema.Struct({
  chain: Schema.String,
  message: Schema.String,
  signature: Schema.String,
  svc_meta_security: Schema.optionalKey(Security),
  gotrue_meta_security: Schema.optionalKey(Security)
}).check(
  Schema.makeFilter(
    ({ gotrue_meta_security: alias, svc_meta_security: own }) =>
      own === undefined || alias === undefined || own.captcha_token === alias.captcha_token
  )
)

/** It has them under the operator's prefix or the neutral one. */
export const brandedMembers: ReadonlyArray<Member> = ["svc_meta_security"]

export const captchaToken = (request: typeof Web3Request.Type): string | undefined =>
  (request.svc_meta_security ?? request.gotrue_meta_security)?.captcha_token

/** `POST /token?grant_type=refresh_token`. */
export const RefreshRequest = Schema.Struct({ refresh_token: Schema.String })

/** Of any session that can be refreshed, what programs need; a `SessionBody` says more. */
export const Tokens = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("bearer"),
  expires_in: Schema.Int,
  refresh_token: Schema.String,
  user: Schema.Struct({ id: Schema.String })
})

export interface SessionBody<User> {
  readonly access_token: string
  readonly token_type: "bearer"
  /** Whole seconds. */
  readonly expires_in: number
  /** Unix seconds. */
  readonly expires_at: number
  readonly refresh_token: string
  readonly user: User
}

/** What the wallet's own site gets. */
export type WalletSession = SessionBody<UserBody>

/** What `POST /oauth/token` answers: of the user nothing but the id. */
export interface OAuthSession extends Omit<SessionBody<{ readonly id: string }>, "refresh_token"> {
  /** Only an application that may refresh the session has one. */
  readonly refresh_token?: string
  readonly scope: string
  readonly id_token?: string
}

/** `POST /factors/{id}/verify`. */
export interface RaisedSession extends WalletSession {
  /** The codes come once, with the first factor: each opens the account one time without it. */
  readonly recovery_codes?: ReadonlyArray<string>
  /** So many are left after one of them was used. */
  readonly recovery_codes_left?: number
}
