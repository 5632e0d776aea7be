/** Each desk finds whom it is to wake by itself, also those whose rows are not in the read tables yet. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { text } from "../Column.ts"
import * as Table from "../Table.ts"

const users = Table.selection({ userId: { schema: Schema.String, expression: "user_id" } })
const founding = Table.make("founding", { name: text, value: text })

export const wakeUpDesk = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table wake_up add column desk text collate "C" not null default ''`
  yield* sql`alter table wake_up alter column desk drop default`
  yield* sql`create index wake_up_of_desk on wake_up (desk)`
  // Claims have no events, and nothing is written for them.
  yield* sql`
    insert into wake_up (user_id, reason, detail, desk)
    select substr(j.stream, 8), 'unprojected', max(j.seq)::text, ''
    from journal j
    left join projection p on p.position = 'ledger:' || j.stream
    where j.stream like 'trader/%' and octet_length(j.events) > 0
    group by j.stream, p.seq
    having max(j.seq) > coalesce(p.seq, 0)`

  const [desks] = yield* founding.all(sql`select ${founding.columns} from founding where name = 'VENUE_DESKS'`)
  if (desks === undefined) return
  const named = yield* users.all(sql`select distinct ${users.columns} from wake_up`)
  const userIds = named.map(({ userId }) => userId)
  const deskIds = userIds.map((userId) => deskOf(userId, Number(desks.value)))
  yield* sql.unsafe(
    `update wake_up w set desk = q.desk from unnest($1::text[], $2::text[]) as q (user_id, desk)
    where w.user_id = q.user_id`,
    [userIds, deskIds]
  )
})

/** As users were spread over desks when this was written. */
const deskOf = (userId: string, desks: number): string => {
  let hash = 0x811c9dc5
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193)
  return String((hash >>> 0) % desks)
}
