/** Look-up of a session that has not ended. */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { type Session, SessionEnded, type Sessions } from "@venue/storage/access/Sessions"
import { Effect, Option } from "effect"

/** Reads a session from the database; an unknown session is treated as ended. */
export const liveSession = Effect.fnUntraced(function* (
  sessions: Sessions["Service"],
  sessionId: string
): Effect.fn.Return<Session, SessionEnded | DatabaseUnavailable> {
  const session = yield* sessions.find(sessionId)
  return Option.isSome(session) && session.value.endedAtMillis === null
    ? session.value
    : yield* new SessionEnded({ sessionId })
})
