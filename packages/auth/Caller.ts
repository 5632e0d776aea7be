/** Who is calling, once that is proven. */
import { Schema } from "effect"

export interface Caller {
  readonly userId: string
  /** By name; a name no rule asks for grants nothing. */
  readonly permissions: ReadonlySet<string>
  /** `all_accounts`, or the one account the credential is for. */
  readonly scope: string
  /** Null when no key was used. */
  readonly publicKey: string | null
  readonly via: "hmac" | "jwt"
}

export const allAccounts = "all_accounts"

/** One refusal for every cause, so that nobody can probe. `reason` is for logs: it holds no secret and is never sent. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  reason: Schema.Literals(["timestamp", "nonce_form", "unknown_key", "signature", "revoked_key", "nonce_reused"])
}) {}
