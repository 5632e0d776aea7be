/** Independent count of long and short holders: every account, anew each minute. */
import { fundUserId } from "@venue/domain/Split"
import type { Emit } from "./TwinMatch.ts"
import type { Twin } from "./TwinState.ts"

const minute = 60_000

/** Records the numbers if they changed and a minute has begun since the last event. */
export const pass = (twin: Twin, lastMillis: number, nowMillis: number, emit: Emit): void => {
  const atMillis = Math.max(twin.timeMillis, nowMillis)
  if (Math.floor(lastMillis / minute) === Math.floor(atMillis / minute)) return
  const users = [...new Set(twin.owners.values())].filter((user) => user !== fundUserId)
  const held = users.map((user) =>
    [...twin.holdings]
      .filter(([account]) => twin.owners.get(account) === user)
      .reduce((sum, [, { quantity }]) => sum + quantity, 0)
  )
  const counted = [held.filter((lots) => lots > 0).length, held.filter((lots) => lots < 0).length] as const
  if (counted.join() === twin.holders.join()) return
  twin.holders = counted
  twin.timeMillis = atMillis
  emit({ _tag: "HoldersCounted", longUsers: counted[0], shortUsers: counted[1], atMillis })
}
