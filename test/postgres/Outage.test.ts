import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Outage from "@venue/postgres/Outage"
import { assert, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { ConnectionError, SqlError, SqlSyntaxError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"

const listening = () => {
  const lines: Array<string> = []
  const log = (text: string) => Effect.sync(() => void lines.push(text))
  return { lines, outage: Outage.make({ begun: log, over: (seconds) => log(`over after ${seconds} s`) }) }
}

it.effect("reports an outage once when it starts and once when it ends, whatever the number of failures", () =>
  Effect.gen(function* () {
    const { outage, lines } = listening()
    for (let times = 0; times < 100; times++) {
      yield* outage.failed(`no answer ${times}`)
      yield* TestClock.adjust("100 millis")
    }
    yield* outage.answered
    assert.deepStrictEqual(lines, ["no answer 0"])
    yield* TestClock.adjust("3 seconds")
    yield* outage.answered
    yield* outage.answered
    assert.deepStrictEqual(lines, ["no answer 0", "over after 10 s"])
    yield* outage.failed("again")
    assert.deepStrictEqual(lines.slice(2), ["again"])
  })
)

it.effect("keeps an outage open while some calls still fail, even if other calls succeed", () =>
  Effect.gen(function* () {
    const { outage, lines } = listening()
    for (let times = 0; times < 100; times++) {
      yield* outage.failed("No space left on device")
      yield* outage.answered
      yield* TestClock.adjust("200 millis")
      yield* outage.answered
    }
    assert.deepStrictEqual(lines, ["No space left on device"])
  })
)

it.effect("counts only database failures, and reports the message of the innermost cause", () =>
  Effect.gen(function* () {
    const { outage, lines } = listening()
    const otherwise = Effect.sync(() => void lines.push("otherwise"))
    const report = (error: unknown) =>
      Effect.provideService(DatabaseOutage.report(Cause.fail(error), otherwise), DatabaseOutage.DatabaseOutage, outage)
    const cause = new Error("connect ECONNREFUSED")
    yield* report(new SqlError({ reason: new SqlSyntaxError({ cause }) }))
    yield* report(new Error("ours"))
    const out = new SqlError({ reason: new ConnectionError({ cause, message: "Failed to connect" }) })
    yield* report(new DatabaseUnavailable({ cause: out }))
    yield* report(new DatabaseUnavailable({ cause: Cause.fail(out) }))
    assert.deepStrictEqual(lines, ["otherwise", "otherwise", "connect ECONNREFUSED"])
  })
)
