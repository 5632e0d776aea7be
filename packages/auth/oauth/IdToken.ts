/** What an application is told of the user who signed in to it. */
import type { UserId } from "@venue/domain/UserId"
import type { Profile } from "@venue/storage/access/Profiles"
import { Redacted } from "effect"
import { createHash } from "node:crypto"
import { tokenLifetimeSeconds } from "../session/TokenLifetime.ts"
import * as Scope from "./Scope.ts"

/**
 * What the userinfo endpoint tells, by what was granted. A member without a value is left out: users who came with a
 * wallet have no email and no phone, and the name in their documents is nobody's business.
 */
export const userClaims = (
  userId: UserId,
  { avatarUrl, username }: Pick<Profile, "avatarUrl" | "username">,
  scopes: ReadonlyArray<string>
) => ({
  sub: userId,
  ...(Scope.covers(scopes, ["profile"]) && {
    ...(username !== null && { name: username, preferred_username: username }),
    ...(avatarUrl !== null && { picture: avatarUrl })
  })
})

/** They say what is known of one sign-in; `user` comes from `userClaims`. */
export const claims = (signIn: {
  readonly issuer: string
  readonly clientId: string
  readonly user: { readonly sub: string }
  readonly nonce: string | null
  /** When the user last proved who they are. */
  readonly provenAtSeconds: number
  readonly nowSeconds: number
  readonly accessToken: Redacted.Redacted
}): Readonly<Record<string, unknown>> => ({
  ...signIn.user,
  iss: signIn.issuer,
  aud: signIn.clientId,
  iat: signIn.nowSeconds,
  exp: signIn.nowSeconds + tokenLifetimeSeconds,
  auth_time: signIn.provenAtSeconds,
  at_hash: halfHash(signIn.accessToken),
  ...(signIn.nonce !== null && { nonce: signIn.nonce })
})

/** The left half of its SHA-256, as OpenID Connect wants it beside ES256. */
const halfHash = (token: Redacted.Redacted): string =>
  createHash("sha256").update(Redacted.value(token)).digest().subarray(0, 16).toString("base64url")
