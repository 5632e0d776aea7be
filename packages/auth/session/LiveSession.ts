/** A session that is not over, for whoever acts in it. */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { type Session, SessionEnded, type Sessions } from "@venue/storage/access/Sessions"
import { Effect, Option } from "effect"

/** As it is in the database at this moment; one that never was has ended too. */
export const liveSession = Effect.fnUntraced(function* (
  sessions: Sessions["Service"],
  sessionId: string
): Effect.fn.Return<Session, SessionEnded | DatabaseUnavailable> {
  const session = yield* sessions.find(sessionId)
  return Option.isSome(session) && session.value.endedAtMillis === null
    ? session.value
    : yield* new SessionEnded({ sessionId })
})
