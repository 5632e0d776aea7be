/** Builder codes: the owner of a code, and the reward for fills of orders that carry it. */
import type { FeeShare } from "./FeeShare.ts"
import type { UserId } from "./UserId.ts"

/** Registers a builder code with a market; sent once per code, because owner and shares never change. */
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

/** The parts of one fill's fee that do not belong to the venue, in 1e-6 USD. */
export interface Reward {
  /** Owner of the builder code; the amount is credited to the owner's primary account. */
  readonly ownerId: UserId
  readonly amount: number
  /** Part of the fee that neither share covers; it goes to the market's reserve fund. */
  readonly remainder: number
}
