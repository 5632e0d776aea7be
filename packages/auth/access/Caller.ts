/** An authenticated caller. */
import { allAccounts } from "@venue/domain/ApiKey"
import { Selectable } from "@venue/domain/Permission"
import type { UserId } from "@venue/domain/UserId"
import type { ApiKey } from "@venue/storage/access/ApiKeyTable"
import { Schema } from "effect"
import type { TokenClaims } from "../session/AccessToken.ts"

export interface Caller {
  readonly userId: UserId
  /** Names of the caller's permissions. A name without a rule has no effect. */
  readonly permissions: ReadonlySet<string>
  /** `all_accounts`, or the id of the only account that the credential can access. */
  readonly scope: string
  readonly via: "hmac" | "jwt"
  /** Public name of the caller's API key; null for a caller with a token. */
  readonly publicKey: string | null
  /** Id of the token's session; null for a caller with an API key. */
  readonly sessionId: string | null
  /** Id of the key that signed the token; null for a caller with an API key. */
  readonly kid: string | null
  /** Assurance level of the session; null for an API key, because it has no session. */
  readonly aal: "aal1" | "aal2" | null
  /** Application that holds the token; null for an API key or a token that the user holds. */
  readonly clientId: string | null
}

export const ofKey = ({ permissions, publicKey, scope, userId }: ApiKey): Caller => ({
  userId,
  permissions: setOf(permissions),
  scope,
  via: "hmac",
  publicKey,
  sessionId: null,
  kid: null,
  aal: null,
  clientId: null
})

/**
 * Returns a token's caller. With any OAuth scope, the caller has all of the user's permissions, except for actions
 * with `ownOnly`.
 */
export const ofToken = ({ aal, clientId, kid, sessionId, userId }: TokenClaims): Caller => ({
  userId,
  permissions: ofSession,
  scope: allAccounts,
  via: "jwt",
  publicKey: null,
  sessionId,
  kid,
  aal,
  clientId
})

/**
 * Authentication failed. The response is the same for every cause, so that probing reveals nothing. `reason` is only
 * for logs and free of secrets.
 */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  reason: Schema.Literals([
    "timestamp",
    "nonce_form",
    "unknown_key",
    "signature",
    "revoked_key",
    "address",
    "nonce_reused"
  ])
}) {}

/** Returns one shared set for equal permissions, because every order reads a set. */
const setOf = (permissions: ReadonlyArray<string>): ReadonlySet<string> => {
  const name = permissions.toSorted().join(" ")
  const known = sets.get(name)
  if (known !== undefined) return known
  const made = new Set(permissions)
  sets.set(name, made)
  return made
}
const sets = new Map<string, ReadonlySet<string>>()

const ofSession = setOf(Selectable.literals)
