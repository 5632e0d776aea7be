/** Slots for responses that take time to send, limited per client and in total. */
import type { ServiceUnavailable, TooManyRequests } from "@venue/api/Problem"
import { Effect } from "effect"
import { notBefore } from "../http/Refusal.ts"

export interface PlacesOptions {
  readonly maxOfOne: number
  readonly maxOfAll: number
  /** Returns the refusal for a client that already holds `maxOfOne` slots. */
  readonly tooMany: () => TooManyRequests
  /** Returns the refusal while all `maxOfAll` slots are in use. */
  readonly full: () => ServiceUnavailable
}

/** `Retry-After` of a refusal, in ms. Most responses are sent within this time. */
const waitMillis = 5_000

export const make = ({ full, maxOfAll, maxOfOne, tooMany }: PlacesOptions) => {
  const held = new Map<string, number>()
  let all = 0
  const enter = Effect.fnUntraced(function* (client: string) {
    const own = held.get(client) ?? 0
    if (own >= maxOfOne) return yield* notBefore(waitMillis, tooMany())
    if (all >= maxOfAll) return yield* notBefore(waitMillis, full())
    held.set(client, own + 1)
    all += 1
  })
  const leave = (client: string) =>
    Effect.sync(() => {
      const own = held.get(client)! - 1
      if (own === 0) held.delete(client)
      else held.set(client, own)
      all -= 1
    })
  /** Returns a function that occupies one of the client's slots until the scope closes. */
  return (client: string) => Effect.acquireRelease(enter(client), () => leave(client))
}
