/** Who brought a client: the owner of the builder code that orders carry, and what fills of such orders earn them. */
import type { FeeShare } from "./FeeShare.ts"
import type { UserId } from "./UserId.ts"

/** A builder code may be on orders from now on. It is said once, as neither owner nor shares of a code ever change. */
export interface IntroduceBuilder extends FeeShare {
  readonly _tag: "IntroduceBuilder"
  readonly builderCode: string
  readonly ownerId: UserId
}

/** From here on fills of orders that carry this code earn its owner a share of their fees (rule 12.3). */
export interface BuilderIntroduced extends FeeShare {
  readonly _tag: "BuilderIntroduced"
  readonly builderCode: string
  readonly ownerId: UserId
  readonly atMillis: number
}

/** What of the fee of one fill is not the venue's, in 1e-6 USD. */
export interface Reward {
  /** The amount is credited to this user's primary account. */
  readonly ownerId: UserId
  readonly amount: number
  /** The market's reserve fund has what the shares leave. */
  readonly remainder: number
}
