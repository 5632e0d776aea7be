import * as WaitingRoom from "@venue/auth/access/WaitingRoom"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

it.effect("admits one queued caller per turn of the event loop, in order of arrival", () =>
  Effect.gen(function* () {
    const { wait } = WaitingRoom.make(10)
    const done: Array<string> = []
    const work = (name: string) =>
      Effect.andThen(
        wait,
        Effect.sync(() => done.push(name))
      )
    const between = Effect.callback<void>((resume) => {
      setImmediate(() => {
        done.push("|")
        resume(Effect.void)
      })
    })
    yield* Effect.all([work("a"), work("b"), Effect.andThen(between, between), work("c")], { concurrency: "unbounded" })
    assert.match(done.join(""), /^a\|?b\|?c\|?$/)
    assert.strictEqual(done.filter((one) => one === "|").length, 2)
  })
)

it.effect("I48: rejects a caller immediately if the queue is full, and does not delay queued callers", () =>
  Effect.gen(function* () {
    const { isFull, wait } = WaitingRoom.make(2)
    const [first, second] = [yield* Effect.forkChild(wait), yield* Effect.forkChild(wait)]
    yield* Effect.yieldNow
    assert.isTrue(isFull())
    const refused = yield* Effect.flip(wait)
    assert.strictEqual(refused._tag, "TooManyWait")
    yield* Fiber.join(first)
    yield* Fiber.join(second)
    assert.isFalse(isFull())
    yield* wait
  })
)

it.effect("removes an interrupted caller from the queue", () =>
  Effect.gen(function* () {
    const { isFull, wait } = WaitingRoom.make(1)
    const fiber = yield* Effect.forkChild(wait)
    yield* Effect.yieldNow
    assert.isTrue(isFull())
    yield* Fiber.interrupt(fiber)
    assert.isFalse(isFull())
    yield* wait
  })
)
