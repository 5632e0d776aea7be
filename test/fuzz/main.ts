/**
 * `npm run fuzz -- --requests 100000 --seed 7`: sends random requests from the REST description to a venue in this
 * process.
 */
import { Console, Effect } from "effect"
import { parseArgs } from "node:util"
import * as Fuzz from "./Fuzz.ts"

const { values } = parseArgs({
  options: { requests: { type: "string", default: "100000" }, seed: { type: "string", default: "7" } }
})
const options: Fuzz.Options = { requests: Number(values.requests), seed: Number(values.seed) }
const isValid = Number.isInteger(options.requests) && options.requests > 0 && Number.isInteger(options.seed)

const main = Effect.gen(function* () {
  const { faults, statuses } = yield* Fuzz.run(options)
  for (const [status, count] of [...statuses].toSorted(([a], [b]) => a - b)) {
    yield* Console.log(`fuzz: ${status} ${count}`)
  }
  for (const fault of faults) yield* Console.log(`fuzz: ${fault}`)
  yield* Console.log(`fuzz: ${options.requests} requests of seed ${options.seed}, ${faults.length} faults reported`)
  process.exitCode = faults.length === 0 ? 0 : 1
})

await Effect.runPromise(
  isValid
    ? main.pipe(Effect.provide(Fuzz.layer), Effect.scoped)
    : Effect.andThen(
        Console.log("fuzz: --requests must be a whole number of at least 1, and --seed a whole number"),
        Effect.sync(() => void (process.exitCode = 2))
      )
)
