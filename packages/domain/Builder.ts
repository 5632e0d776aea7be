/** Builder codes: a code's owner, and the reward for fills of orders that carry the code. */
import type { FeeShare } from "./FeeShare.ts"
import type { UserId } from "./UserId.ts"

/** Registers a builder code with a market. Sent once per code, because the owner and the shares never change. */
export interface IntroduceBuilder extends FeeShare {
  readonly _tag: "IntroduceBuilder"
  readonly builderCode: string
  readonly ownerId: UserId
}

/** A builder code was registered: fills of orders with this code now earn its owner a share of the fee (rule 12.3). */
export interface BuilderIntroduced extends FeeShare {
  readonly _tag: "BuilderIntroduced"
  readonly builderCode: string
  readonly ownerId: UserId
  readonly atMillis: number
}

/** Parts of one fill's fee that do not belong to the venue, in 1e-6 USD. */
export interface Reward {
  /** Owner of the builder code; the amount is credited to the owner's primary account. */
  readonly ownerId: UserId
  readonly amount: number
  /** Part of the fee that neither the venue's nor the builder's share covers. It goes to the market's reserve fund. */
  readonly remainder: number
}
