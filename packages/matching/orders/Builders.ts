/** Builder codes on orders, and rewards for the orders' fills. A market registers each code once (rule 12.3). */
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { BuilderIntroduced, IntroduceBuilder, Reward } from "@venue/domain/Builder"
import * as FeeShare from "@venue/domain/FeeShare"
import type { Events, Market } from "../Market.ts"
import * as Participants from "../state/Participants.ts"

/** Adds a builder code. Has no effect if the code is known. */
export const introduce = (market: Market, command: IntroduceBuilder, atMillis: number, events: Events): void => {
  if (market.builders.has(command.builderCode)) return
  const { builderBps, builderCode, ownerId, venueBps } = command
  const introduced: BuilderIntroduced = {
    _tag: "BuilderIntroduced",
    builderCode,
    ownerId,
    venueBps,
    builderBps,
    atMillis
  }
  apply(market, introduced)
  events.push(introduced)
}

export const apply = (market: Market, introduced: BuilderIntroduced): void => {
  market.timeMillis = introduced.atMillis
  market.builders.set(introduced.builderCode, introduced)
}

/** Returns the reward for a fill, or null if the builder code is unknown or the fill has no fee (rule 12.4). */
export const rewardOf = ({ builders }: Market, builderCode: string, fee: number): Reward | null => {
  if (builderCode === "" || fee <= 0) return null
  const builder = builders.get(builderCode)
  if (builder === undefined) return null
  const { builder: amount, remainder } = FeeShare.split(fee, builder)
  return { ownerId: builder.ownerId, amount, remainder }
}

/** Deducts a reward from the venue's fees, because the whole trading fee was booked there. */
export const bookReward = ({ participants }: Market, reward: Reward | null): void => {
  if (reward === null) return
  const { amount, ownerId, remainder } = reward
  const owner = Participants.account(participants, primaryAccountOf(ownerId), ownerId)
  Participants.earn(participants, owner, amount, remainder)
}
