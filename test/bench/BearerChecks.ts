/** Repeated validation of a cached access token, compared with the `jose` library validating the same token. */
import type { BearerReport } from "./BearerWorker.ts"
import type { Options } from "./Options.ts"
import { figure, type Round, type Row, round, say } from "./Report.ts"
import * as Worker from "./Worker.ts"

export const bearer = async ({ rounds, seconds }: Options): Promise<ReadonlyArray<Row>> => {
  const worker = Worker.start("BearerWorker.ts", [String(seconds)], { flags: Worker.heapFlags })
  await worker.hear()
  const found: Array<Round> = []
  // Round 0 only warms up both validators.
  for (let index = 0; index <= rounds; index++) {
    const { josePerSecond, oursPerSecond } = await worker.ask<BearerReport>("round")
    say(
      `  ${index === 0 ? "warm-up" : `round ${index}`}: venue ${figure(oursPerSecond)}/s, jose ${figure(josePerSecond)}/s`
    )
    if (index > 0) found.push(round(oursPerSecond, josePerSecond))
  }
  await worker.stop()
  return [
    {
      name: "access token checked again",
      unit: "checks/s",
      anchor: "jose.jwtVerify, 16 at a time",
      rounds: found,
      goal: { better: "higher", solid: 20, aim: 100 },
      notes: []
    }
  ]
}
