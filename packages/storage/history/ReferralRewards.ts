/** Users' referral rewards by day. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { traderStream } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { integer, numeric, of, storable } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { Effect } from "effect"
import type { TraderProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"

/** Money in 1e-6 USD. */
const referralRewardTable = Table.make("referral_reward", {
  userId: of("text", UserId),
  /** Day whose fees earned the reward, in days since 1970-01-01, UTC. */
  day: integer,
  accountId: of("text", AccountId),
  amount: numeric
})
export type ReferralReward = Table.Row<typeof referralRewardTable>

const referralRewards = ReadTable.make(referralRewardTable, { key: ({ day, userId }) => `${userId} ${day}` })

export const projection: TraderProjection = {
  group: "referral_reward",
  stream: traderStream,
  writes: (userId, rows) => [
    referralRewards.write(
      rows.flatMap(({ events }) =>
        events.flatMap((event) =>
          event._tag === "ReferralsCredited"
            ? [{ userId, day: event.day, accountId: primaryAccountOf(userId), amount: event.amount }]
            : []
        )
      )
    )
  ]
}

/** Returns a user's rewards in a range of days with an exclusive end, earliest first. */
export const ofUser = (
  userId: UserId,
  fromDay: number,
  beforeDay: number
): ReadTable.ReadQuery<ReadonlyArray<ReferralReward>> => ({
  sql: (sql) =>
    referralRewardTable.all(sql`
      select ${referralRewardTable.columns} from referral_reward
      where user_id = ${storable(userId)} and day >= ${fromDay} and day < ${beforeDay} order by day`),
  memory: (memory) =>
    referralRewards
      .rowsIn(memory)
      .filter((row) => row.userId === userId && row.day >= fromDay && row.day < beforeDay)
      .sort((a, b) => a.day - b.day)
})

const newest = Table.selection({
  userId: { schema: UserId, expression: "user_id" },
  day: { schema: integer.schema, expression: "max(day)" }
})

/** Returns each user's last rewarded day; omits users without a reward. */
export const lastDays = (userIds: ReadonlyArray<UserId>): ReadTable.ReadQuery<ReadonlyMap<UserId, number>> => ({
  sql: (sql) =>
    Effect.map(
      newest.all(
        sql`
        select ${newest.columns} from referral_reward
        where user_id in ${sql.in(userIds.map(storable))} group by user_id`.unprepared
      ),
      (rows) => new Map(rows.map(({ day, userId }) => [userId, day]))
    ),
  memory: (memory) => {
    const days = new Map<UserId, number>()
    for (const { day, userId } of referralRewards.rowsIn(memory)) {
      if (userIds.includes(userId)) days.set(userId, Math.max(day, days.get(userId) ?? 0))
    }
    return days
  }
})
