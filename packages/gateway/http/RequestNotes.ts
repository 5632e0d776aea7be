/** Facts about a request that its handlers record for the response headers and the log line. */
import type { UserId } from "@venue/domain/UserId"
import type { Quota } from "@venue/domain/RateLimits"
import { Context, Effect } from "effect"

export interface RequestNotes {
  readonly id: string
  /** Quota of the charged bucket. */
  quota: Quota | undefined
  /** User whose credentials were verified. */
  userId: UserId | undefined
}

/** Notes on the current request, or undefined outside a request. */
export const RequestNotes = Context.Reference<RequestNotes | undefined>("@venue/gateway/http/RequestNotes", {
  defaultValue: () => undefined
})

export const of = (id: string): RequestNotes => ({ id, quota: undefined, userId: undefined })

export const note = (change: Partial<RequestNotes>): Effect.Effect<void> =>
  Effect.map(RequestNotes, (notes) => {
    if (notes !== undefined) Object.assign(notes, change)
  })
