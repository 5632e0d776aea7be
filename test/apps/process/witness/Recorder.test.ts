/** The recorder of committed rows that the witness has not stored yet. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Recorder from "../../../../apps/process/witness/Recorder.ts"

it.effect("I57: keeps a row when a later epoch takes its number or a lower one before it is stored", () =>
  Effect.gen(function* () {
    const recorder = Recorder.make()
    for (const [seq, epoch] of [
      [99, 5],
      [100, 5],
      [98, 6],
      [100, 6]
    ] as const)
      recorder.row({ stream: "a", seq, epoch, events: new Uint8Array(0) })
    const numbers = (yield* recorder.takeRows).map((entry) => entry._tag === "Row" && [entry.row.seq, entry.row.epoch])
    assert.deepStrictEqual(numbers, [[100, 5]])
    assert.deepStrictEqual(yield* recorder.takeRows, [])
  })
)
