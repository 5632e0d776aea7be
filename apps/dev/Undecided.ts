/** Wait for operators' decision about rows that a restored database lacks. */
import { heldStates } from "@venue/domain/Recovery"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { Effect, Option, Schedule } from "effect"

/** Whether no stream can be claimed, because a recovery is not decided or carried out. */
export const isHeld = Effect.gen(function* () {
  const pending = yield* (yield* Recoveries).pending
  return Option.isSome(pending) && heldStates.includes(pending.value.state)
})

export const wait = Effect.fnUntraced(function* (say: (text: string) => Effect.Effect<void>, adminUrl: string) {
  yield* say(
    `the database lacks rows that the witness has seen: read ${adminUrl}/recovery, then accept the loss with two operators, or stop and restore a newer backup`
  )
  yield* Effect.repeat(isHeld, { while: (held) => held, schedule: Schedule.spaced("500 millis") })
})
