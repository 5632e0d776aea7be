/** `GET /user/referral-rewards`: what a user was credited for those whom they brought, by the day that earned it. */
import { dayMillis, dayOf } from "@venue/domain/Day"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, Rows, SchemaLink } from "../Body.ts"
import { instant } from "../Digits.ts"
import { described, Optional } from "../Parameter.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"

const Duration = Schema.Literals(["1d", "1w", "1m", "ytd", "all"])
export type Duration = typeof Duration.Type

export const defaultDuration = "1w"

export const ReferralReward = Schema.Struct({ reward_date: Moment, amount: Schema.Finite }).annotate({
  identifier: "ReferralReward"
})

export const ReferralRewardsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Duration,
  interval: Schema.Literal("1d"),
  /** Left out where everything is asked for and nothing was credited. */
  start: Schema.optionalKey(Moment),
  end: Moment,
  data: Rows(ReferralReward),
  count: Schema.Int,
  total_amount: Schema.Finite
}).annotate({ identifier: "ReferralRewardsResponseBody" })

export const ReferralRewardsGroup = HttpApiGroup.make("referralRewards")
  .add(
    HttpApiEndpoint.get("referralRewards", "/user/referral-rewards", {
      query: { duration: Optional(Duration) },
      success: ReferralRewardsResponseBody,
      error: ServiceUnavailable
    }).annotate(
      OpenApi.Transform,
      described({ duration: { type: "string", enum: Duration.literals, default: defaultDuration } })
    )
  )
  .middleware(Authenticated)

/** Whole days, the last of them the one before today; of `all`, from the day the user came. */
export const daysOf = (duration: Duration, nowMillis: number, createdAtMillis: number) => {
  const today = dayOf(nowMillis)
  const from: Record<Duration, number> = {
    "1d": today - 1,
    "1w": today - 7,
    "1m": today - 30,
    ytd: dayOf(Date.UTC(new Date(nowMillis).getUTCFullYear(), 0)),
    all: dayOf(createdAtMillis)
  }
  return { fromDay: from[duration], beforeDay: today }
}

export const rewardsBody = (
  duration: Duration,
  { beforeDay, fromDay }: ReturnType<typeof daysOf>,
  rewards: ReadonlyArray<{ readonly day: number; readonly amount: bigint }>
): typeof ReferralRewardsResponseBody.Type => ({
  duration,
  interval: "1d",
  ...(duration === "all" && rewards.length === 0 ? {} : { start: instant(fromDay * dayMillis) }),
  end: instant(beforeDay * dayMillis),
  data: rewards.map(({ amount, day }) => ({ reward_date: instant(day * dayMillis), amount: decimalOfMoney(amount) })),
  count: rewards.length,
  total_amount: decimalOfMoney(rewards.reduce((sum, { amount }) => sum + amount, 0n))
})
