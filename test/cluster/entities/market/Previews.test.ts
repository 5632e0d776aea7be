/** Tests of one market's previews and their limits. */
import type { MarketLog } from "@venue/cluster/entities/market/MarketLog"
import * as Previews from "@venue/cluster/entities/market/Previews"
import { Unavailable } from "@venue/cluster/protocol/Market"
import { noEcho } from "@venue/domain/Echo"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Refuse } from "@venue/domain/Market"
import type { MarketPreview } from "@venue/domain/Preview"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Result } from "effect"
import { Scene } from "../../../matching/EngineScene.ts"
import { idOf, one, userId, venue } from "../../Neighbours.ts"

const { symbol } = one
const refused: Refuse = {
  _tag: "Refuse",
  commandId: idOf(1),
  expiresAtMillis: Number.MAX_SAFE_INTEGER,
  traderEpoch: 1,
  userId,
  accountId: primaryAccountOf(userId),
  status: "REJECTED",
  echo: noEcho
}

/** A log that completes reads when the test allows it. */
const slowLog = () => {
  const { engine } = new Scene()
  const asked: Array<Deferred.Deferred<void, Unavailable>> = []
  const log: Pick<MarketLog, "asOf" | "faultSinceMillis"> = {
    faultSinceMillis: () => undefined,
    asOf: (read) =>
      Effect.gen(function* () {
        const told = Deferred.makeUnsafe<void, Unavailable>()
        asked.push(told)
        yield* Deferred.await(told)
        return { epoch: 1, seq: 1, value: read(engine) }
      })
  }
  const answer = (exit: Exit.Exit<void, Unavailable> = Exit.void) => {
    Deferred.doneUnsafe(asked.shift()!, exit)
  }
  return { log, asked, answer }
}

const turns = Effect.repeat(Effect.yieldNow, { times: 50 })
const testLayer = Layer.mergeAll(venue, Logger.layer([]))

it.effect(
  "I48: computes at most four previews concurrently, and returns Unavailable while 256 previews are pending",
  () =>
    Effect.gen(function* () {
      const { answer, asked, log } = slowLog()
      const preview = yield* Previews.make(symbol, log)
      const waiting = yield* Effect.forEach(Array.from({ length: 256 }), () => Effect.forkChild(preview(refused)))
      yield* turns
      assert.lengthOf(asked, 4)
      assert.deepStrictEqual(yield* Effect.flip(preview(refused)), new Unavailable({ what: `market ${symbol}` }))
      answer()
      yield* turns
      assert.lengthOf(asked, 4)
      // One preview has finished, so one more is accepted.
      const later = yield* Effect.forkChild(preview(refused))
      yield* turns
      assert.instanceOf(yield* Effect.flip(preview(refused)), Unavailable)
      while (asked.length > 0) {
        answer()
        yield* turns
      }
      for (const fiber of [...waiting, later]) {
        const told: MarketPreview = yield* Fiber.join(fiber)
        assert.strictEqual(told.refusal, "REJECTED")
      }
    }).pipe(Effect.provide(testLayer))
)

it.effect("releases the permits of interrupted and failed previews", () =>
  Effect.gen(function* () {
    const { answer, asked, log } = slowLog()
    const preview = yield* Previews.make(symbol, log)
    const waiting = yield* Effect.forEach(Array.from({ length: 256 }), () => Effect.forkChild(preview(refused)))
    yield* turns
    yield* Effect.forEach(waiting.slice(4), Fiber.interrupt)
    answer(Exit.fail(new Unavailable({ what: "its log" })))
    yield* turns
    assert.isTrue(Exit.isFailure(yield* Fiber.await(waiting[0]!)))
    const others = yield* Effect.forEach(Array.from({ length: 253 }), () => Effect.forkChild(preview(refused)))
    yield* turns
    assert.instanceOf(yield* Effect.flip(preview(refused)), Unavailable)
    while (asked.length > 0) {
      answer()
      yield* turns
    }
    for (const fiber of others) assert.strictEqual((yield* Fiber.join(fiber)).refusal, "REJECTED")
  }).pipe(Effect.provide(testLayer))
)

it.effect("returns Unavailable for a preview that throws, and still computes the next one", () =>
  Effect.gen(function* () {
    const { answer, log } = slowLog()
    const preview = yield* Previews.make(symbol, log)
    const poisoned: Refuse = Object.defineProperty({ ...refused }, "status", {
      get: () => {
        throw new Error("poison")
      }
    })
    const told = yield* Effect.forkChild(Effect.result(preview(poisoned)))
    yield* turns
    answer()
    assert.isTrue(Result.isFailure(yield* Fiber.join(told)))
    const next = yield* Effect.forkChild(preview(refused))
    yield* turns
    answer()
    assert.strictEqual((yield* Fiber.join(next)).refusal, "REJECTED")
  }).pipe(Effect.provide(testLayer))
)
