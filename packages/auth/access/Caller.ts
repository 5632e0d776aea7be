/** An authenticated caller. */
import { allAccounts } from "@venue/domain/ApiKey"
import { Selectable } from "@venue/domain/Permission"
import type { UserId } from "@venue/domain/UserId"
import type { ApiKey } from "@venue/storage/access/ApiKeyTable"
import { Schema } from "effect"
import type { TokenClaims } from "../session/AccessToken.ts"

export interface Caller {
  readonly userId: UserId
  /** Permission names; names without a rule grant nothing. */
  readonly permissions: ReadonlySet<string>
  /** `all_accounts`, or the single account of the credential. */
  readonly scope: string
  readonly via: "hmac" | "jwt"
  /** Null for a caller with a token. */
  readonly publicKey: string | null
  /** Null for a caller with a key. */
  readonly sessionId: string | null
  /** Id of the key that signed the token; null for a caller with an API key. */
  readonly kid: string | null
  /** Assurance level of the session; null for an API key, which has no session. */
  readonly aal: "aal1" | "aal2" | null
  /** Application that holds the token; null for the user in person and for API keys. */
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
 * Returns the caller of a token. A session has all permissions of the user, whatever its OAuth scope; `ownOnly`
 * actions exclude applications.
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
 * One refusal for every cause, so that probing yields nothing. `reason` is for logs only: it holds no secret and is
 * never sent.
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

/** Shares one set among callers with equal permissions, because every order reads it. */
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
