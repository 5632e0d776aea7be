/** Who is at the other end of a connection: what is known before it signs in, and after. */
import type { Caller } from "@venue/auth/access/Caller"
import type { Eligibility } from "@venue/auth/access/Eligibility"
import type { AccountId } from "@venue/domain/AccountId"

/** Who trades on a connection, once that is known. */
export interface Member {
  readonly caller: Caller
  readonly accountId: AccountId
  /** Empty when there is none. */
  readonly builderCode: string
  /** How far the user has come by now. */
  readonly eligibility: Eligibility
}

/** What is known of a client before it says who it is. */
export interface Origin {
  /** Of its upgrade; empty when there is none. */
  readonly builderCode: string
  /** Empty when nobody knows. */
  readonly address: string
  /** Where a proxy of ours saw it. */
  readonly country: string | undefined
}

/** Why somebody was not let in. */
export type Unsigned = "denied" | "unavailable" | "tooMany"
