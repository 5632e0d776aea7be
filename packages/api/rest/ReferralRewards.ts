/** `GET /user/referral-rewards`: rewards for referred users, by the day that earned them. */
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

/** Default span of a request. */
export const defaultDuration = "1w"

/** Reward of one day. */
export const ReferralReward = Schema.Struct({
  reward_date: Moment.annotate({
    description: "First instant of the day for which the reward was earned, ISO 8601 in UTC."
  }),
  amount: Schema.Finite.annotate({ description: "Reward, in USD." })
}).annotate({
  identifier: "ReferralReward",
  description: "Reward of one day."
})

/** Response body of `GET /user/referral-rewards`. */
export const ReferralRewardsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Duration.annotate({ description: "Requested span of days: `1d`, `1w`, `1m`, `ytd` or `all`." }),
  interval: Schema.Literal("1d").annotate({ description: "Length of the period in each row, always one day." }),
  start: Schema.optionalKey(
    Moment.annotate({
      description: "Start of the span, inclusive, ISO 8601 in UTC; omitted for `all` if there are no rewards."
    })
  ),
  end: Moment.annotate({ description: "End of the span, exclusive, ISO 8601 in UTC." }),
  data: Rows(ReferralReward).annotate({ description: "Rewards, one row for each day with a reward." }),
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
          "Returns the user's rewards for each day. The reward of a day is credited once, at 00:05 UTC of the " +
            "following day or later."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          duration: {
            type: "string",
            enum: Duration.literals,
            default: defaultDuration,
            description: "Span of whole UTC days that ends with yesterday."
          }
        })
      )
  )
  .middleware(Authenticated)

/** Returns the Unix days of a span that ends with yesterday; `all` begins on the day on which the user was created. */
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

/** Returns the response; amounts are in 1e-6 USD. */
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
