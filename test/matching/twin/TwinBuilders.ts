/** The twin's part about builder codes: who owns them, and what a fee is divided into. */
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

/** The owner and the venue each have their basis points of a fee, without fractions; the fund has what is left of it. */
export const reward = (twin: Twin, code: string, fee: bigint): Reward | null => {
  const builder = twin.builders.find(({ builderCode }) => builderCode === code)
  if (builder === undefined || fee < 1n) return null
  const [own, venues] = [builder.builderBps, builder.venueBps].map((bps) => (fee * BigInt(bps)) / 10_000n)
  holding(twin, primaryAccountOf(builder.ownerId)).rewards += own!
  const remainder = fee - own! - venues!
  twin.reserveFund += remainder
  return { ownerId: builder.ownerId, amount: Number(own), remainder: Number(remainder) }
}
