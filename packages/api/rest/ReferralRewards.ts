/** `GET /user/referral-rewards`: what a user was credited for those whom they brought, by the day that earned it. */
import { dayMillis, dayOf } from "@venue/domain/Day"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, RowCount, Rows, SchemaLink } from "../Body.ts"
import { instant } from "../Digits.ts"
import { described, Optional } from "../Parameter.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

const Duration = Schema.Literals(["1d", "1w", "1m", "ytd", "all"])
export type Duration = typeof Duration.Type

export const defaultDuration = "1w"

export const ReferralReward = Schema.Struct({
  reward_date: Moment.annotate({ description: "Day that earned the reward, as its first instant in UTC." }),
  amount: Schema.Finite.annotate({ description: "Reward, in USD." })
}).annotate({
  identifier: "ReferralReward",
  description: "Reward of one day."
})

export const ReferralRewardsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Duration.annotate({ description: "Span of days that was asked for." }),
  interval: Schema.Literal("1d").annotate({ description: "Length of a row: one day." }),
  start: Schema.optionalKey(
    Moment.annotate({ description: "First day of the span, inclusive; left out for `all` without a reward." })
  ),
  end: Moment.annotate({ description: "Last instant of the span, exclusive." }),
  data: Rows(ReferralReward).annotate({ description: "Days with a reward." }),
  count: RowCount,
  total_amount: Schema.Finite.annotate({ description: "Sum of the rewards, in USD." })
}).annotate({ identifier: "ReferralRewardsResponseBody" })

export const ReferralRewardsGroup = HttpApiGroup.make("referralRewards")
  .add(
    HttpApiEndpoint.get("referralRewards", "/user/referral-rewards", {
      query: { duration: Optional(Duration) },
      success: ReferralRewardsResponseBody,
      error: ServiceUnavailable
    })
      .annotateMerge(
        operation(
          "List referral rewards",
          "Returns the rewards of the user by the day that earned them. A day is credited once, from five " +
            "minutes past the following midnight in UTC on."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          duration: {
            type: "string",
            enum: Duration.literals,
            default: defaultDuration,
            description: "Span of whole days that ends with yesterday, UTC."
          }
        })
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
