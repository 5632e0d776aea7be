/** Client of a connection, before and after its sign-in. */
import type { Caller } from "@venue/auth/access/Caller"
import type { Eligibility } from "@venue/auth/access/Eligibility"
import type { AccountId } from "@venue/domain/AccountId"

/** Signed-in client of a connection. */
export interface Member {
  readonly caller: Caller
  readonly accountId: AccountId
  /** Builder code of the connection's orders, or an empty string without a code. */
  readonly builderCode: string
  /** Actions that the user's onboarding currently permits. */
  readonly eligibility: Eligibility
}

/** Origin of a connection, from its HTTP upgrade. */
export interface Origin {
  /** Value of the builder code header, or an empty string without the header. */
  readonly builderCode: string
  /** IP address, or an empty string if unknown. */
  readonly address: string
  /** Country that a trusted proxy reports, as two letters. */
  readonly country: string | undefined
}

export type SignInFailure = "denied" | "unavailable" | "tooMany"
