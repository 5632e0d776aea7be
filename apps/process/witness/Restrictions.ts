/** Present restrictions of users and API keys, with the numbers of their newest announcements. */
import type { WitnessedFact } from "@venue/domain/Recovery"
import * as Table from "@venue/postgres/Table"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const facts = Table.selection({
  kind: { schema: Schema.Literals(["user", "key"]), expression: "f.kind" },
  subject: { schema: Schema.String, expression: "f.subject" },
  isRestricted: { schema: Schema.Boolean, expression: "f.is_restricted" },
  number: { schema: Schema.Number, expression: "r.number::float8" }
})

/** Reads the restrictions in one snapshot. Omits subjects whose announcement is not committed or was pruned. */
export const read = Effect.fn("Restrictions.read")(function* (
  changed: ReadonlyArray<readonly [kind: "user" | "key", subject: string]>
): Effect.fn.Return<ReadonlyArray<WitnessedFact>, unknown, SqlClient.SqlClient> {
  if (changed.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const subjects = (of: "user" | "key") => changed.filter(([kind]) => kind === of).map(([, subject]) => subject)
  return yield* facts.all(sql`
    select ${facts.columns} from (
      select 'user' as kind, u.subject, coalesce(s.frozen, false) as is_restricted
      from unnest(${subjects("user")}::text[]) u (subject) left join user_state s on s.user_id = u.subject
      union all
      select 'key', k.subject, a.public_key is null or a.revoked_at is not null
      from unnest(${subjects("key")}::text[]) k (subject) left join api_key a on a.public_key = k.subject
    ) f
    cross join lateral (
      select max(number) as number from revocation where revocation.kind = f.kind and revocation.subject = f.subject
    ) r
    where r.number is not null`)
})
