/** Places for answers that take time to send, limited for each client and for all. */
import type { ServiceUnavailable, TooManyRequests } from "@venue/api/Problem"
import { Effect } from "effect"
import { notBefore } from "../http/Refusal.ts"

export interface PlacesOptions {
  readonly maxOfOne: number
  readonly maxOfAll: number
  /** Refusal of a client that holds `maxOfOne`. */
  readonly tooMany: () => TooManyRequests
  /** Refusal while `maxOfAll` are held. */
  readonly full: () => ServiceUnavailable
}

/** `Retry-After` of a refusal, in ms: most answers are sent by then. */
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
  /** Returns a function that holds a place of the client until the scope closes. */
  return (client: string) => Effect.acquireRelease(enter(client), () => leave(client))
}
