/** Claims about a signed-in user that an application receives. */
import type { UserId } from "@venue/domain/UserId"
import type { Profile } from "@venue/storage/access/Profiles"
import { Redacted } from "effect"
import { createHash } from "node:crypto"
import { tokenLifetimeSeconds } from "../session/TokenLifetime.ts"
import * as Scope from "./Scope.ts"

/** Returns the userinfo claims for the scopes. Wallet users have no email or phone; legal names are never disclosed. */
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

/** Returns the ID token's claims for one sign-in; `user` comes from `userClaims`. */
export const claims = (signIn: {
  readonly issuer: string
  readonly clientId: string
  readonly user: { readonly sub: string }
  readonly nonce: string | null
  /** Time of the user's last authentication. */
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

/** Left half of the SHA-256 hash, as OpenID Connect requires for ES256. */
const halfHash = (token: Redacted.Redacted): string =>
  createHash("sha256").update(Redacted.value(token)).digest().subarray(0, 16).toString("base64url")
