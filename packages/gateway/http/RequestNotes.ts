/** What becomes known of a request on its way to an answer: whoever learns it notes it, and the gate tells of it. */
import type { UserId } from "@venue/domain/UserId"
import type { Quota } from "@venue/domain/RateLimits"
import { Context, Effect } from "effect"

export interface RequestNotes {
  readonly id: string
  /** The bucket it was charged to, as it stands by now. */
  quota: Quota | undefined
  /** Whose credentials it showed, once they are known to be good. */
  userId: UserId | undefined
}

/** There are none where nobody answers a request. */
export const RequestNotes = Context.Reference<RequestNotes | undefined>("@venue/gateway/http/RequestNotes", {
  defaultValue: () => undefined
})

export const of = (id: string): RequestNotes => ({ id, quota: undefined, userId: undefined })

export const note = (change: Partial<RequestNotes>): Effect.Effect<void> =>
  Effect.map(RequestNotes, (notes) => {
    if (notes !== undefined) Object.assign(notes, change)
  })
