/** Bodies that begin, refresh and return a session. */
import { Schema } from "effect"
import type { Member } from "../Brand.ts"
import type { UserBody } from "./User.ts"

const Security = Schema.Struct({ captcha_token: Schema.optionalKey(Schema.String) })

/** Body of `POST /token?grant_type=web3`; auth-js sends the captcha token under `gotrue_meta_security`. */
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

/** Members of `Web3Request` that have the operator's prefix or the neutral prefix. */
export const brandedMembers: ReadonlyArray<Member> = ["svc_meta_security"]

/** Returns a request's captcha token, if any. */
export const captchaToken = (request: typeof Web3Request.Type): string | undefined =>
  (request.svc_meta_security ?? request.gotrue_meta_security)?.captcha_token

/** Body of `POST /token?grant_type=refresh_token`. */
export const RefreshRequest = Schema.Struct({ refresh_token: Schema.String })

/** Members of a refreshable session that the client package reads. */
export const Tokens = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("bearer"),
  expires_in: Schema.Int,
  refresh_token: Schema.String,
  user: Schema.Struct({ id: Schema.String })
})

/** Session with its tokens. */
export interface SessionBody<User> {
  readonly access_token: string
  readonly token_type: "bearer"
  /** Lifetime of the access token, in seconds. */
  readonly expires_in: number
  /** Expiry of the access token, in Unix seconds. */
  readonly expires_at: number
  readonly refresh_token: string
  readonly user: User
}

/** Session of a wallet sign-in, with the whole user. */
export type WalletSession = SessionBody<UserBody>

/** Response body of `POST /oauth/token`, with only the id of the user. */
export interface OAuthSession extends Omit<SessionBody<{ readonly id: string }>, "refresh_token"> {
  /** Present if the application is allowed to refresh the session. */
  readonly refresh_token?: string
  readonly scope: string
  readonly id_token?: string
}

/** Response body of `POST /factors/{id}/verify`: the session with assurance level aal2. */
export interface RaisedSession extends WalletSession {
  /** One-time codes that replace the factor; returned only once, with the first factor. */
  readonly recovery_codes?: ReadonlyArray<string>
  /** Number of unused recovery codes; present if a recovery code was used. */
  readonly recovery_codes_left?: number
}
