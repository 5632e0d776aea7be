/** Who is calling, once that is proven. */
import { allAccounts } from "@venue/domain/ApiKey"
import { Selectable } from "@venue/domain/Permission"
import type { UserId } from "@venue/domain/UserId"
import type { ApiKey } from "@venue/storage/access/ApiKeyTable"
import { Schema } from "effect"
import type { TokenClaims } from "../session/AccessToken.ts"

export interface Caller {
  readonly userId: UserId
  /** By name; a name no rule asks for grants nothing. */
  readonly permissions: ReadonlySet<string>
  /** `all_accounts`, or the one account the credential is for. */
  readonly scope: string
  readonly via: "hmac" | "jwt"
  /** Null when no key was used. */
  readonly publicKey: string | null
  /** Null when no token was used. */
  readonly sessionId: string | null
  /** It names the key that signed the token; null when none was used. */
  readonly kid: string | null
  /** How well the session knows its user; null for a key, which has no session. */
  readonly aal: "aal1" | "aal2" | null
  /** The application that has the token; null when the user has it themselves, or used a key. */
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

/** A session is the user and may do what any of their keys may, whatever its OAuth scope says; but see `ownOnly`. */
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

/** One refusal for every cause, so that nobody can probe. `reason` is for logs: it holds no secret and is never sent. */
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

/** One for all who may do the same, since every order looks at it. */
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
