/** Builder codes of the twin: owners, and the division of fees. */
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { IntroduceBuilder, Reward } from "@venue/domain/Builder"
import type { MarketEvent } from "@venue/domain/Market"
import { holding, type Twin } from "./TwinState.ts"

export const introduce = (
  twin: Twin,
  command: IntroduceBuilder,
  nowMillis: number,
  emit: (event: MarketEvent) => void
): void => {
  if (twin.builders.some(({ builderCode }) => builderCode === command.builderCode)) return
  twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
  twin.builders.push(command)
  emit({ ...command, _tag: "BuilderIntroduced", atMillis: twin.timeMillis })
}

/** Owner and venue receive their basis points of a fee, rounded down; the fund receives the rest. */
export const reward = (twin: Twin, code: string, fee: bigint): Reward | null => {
  const builder = twin.builders.find(({ builderCode }) => builderCode === code)
  if (builder === undefined || fee < 1n) return null
  const [own, venues] = [builder.builderBps, builder.venueBps].map((bps) => (fee * BigInt(bps)) / 10_000n)
  holding(twin, primaryAccountOf(builder.ownerId)).rewards += own!
  const remainder = fee - own! - venues!
  twin.reserveFund += remainder
  return { ownerId: builder.ownerId, amount: Number(own), remainder: Number(remainder) }
}
