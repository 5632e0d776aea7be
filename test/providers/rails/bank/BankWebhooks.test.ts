/** Tests of webhooks that the simulated bank sends over HTTP. */
import { BankWebhooks } from "@venue/providers/rails/bank/BankWebhooks"
import * as StandardWebhook from "@venue/providers/StandardWebhook"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { BankUnderTest, layerOf } from "./BankServer.ts"

const secret = Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

interface Heard {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts a server that responds to the first webhooks with these statuses, and to all others with 204. */
const listener = Effect.fnUntraced(function* (...statuses: ReadonlyArray<number>) {
  const heard = yield* Queue.unbounded<Heard>()
  const left = [...statuses]
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => {
          Queue.offerUnsafe(heard, { headers: request.headers, body })
          response.writeHead(left.shift() ?? 204).end()
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/provider/bank` }
})

const hear = ({ body, headers }: Heard) =>
  Effect.flatMap(BankWebhooks, (webhooks) => webhooks.hear(headers as Record<string, string>, body))

it.effect("sends one signed message for each change at the bank, and accepts each message as new only once", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 2, 1))
    const { heard, url } = yield* listener()
    yield* Effect.gen(function* () {
      const bank = yield* BankUnderTest
      const control = (path: string, body: unknown) =>
        Effect.promise(() =>
          fetch(`${bank.url}${path}`, {
            method: "POST",
            headers: { authorization: "Bearer key-of-the-bank-4711", "content-type": "application/json" },
            body: JSON.stringify(body)
          })
        )
      const credit = { amount: "10.00", message: "M", payment_rail: "ach_push", reference: "r-1" }
      assert.strictEqual((yield* control("/simulator/credits", credit)).status, 201)
      assert.strictEqual((yield* control("/simulator/returns", { reference: "r-1" })).status, 201)
      const [credited, returned] = [yield* Queue.take(heard), yield* Queue.take(heard)]
      assert.isTrue(yield* hear(credited))
      assert.isTrue(yield* hear(returned))
      assert.isFalse(yield* hear(credited))
      assert.notInclude(credited.body, "10.00")
    }).pipe(Effect.provide(layerOf({ url, secret })))
  }).pipe(Effect.provide(BankWebhooks.layer(secret)))
)

it.effect("resends a message that was not accepted under the same id", () =>
  Effect.gen(function* () {
    const { heard, url } = yield* listener(503)
    yield* Effect.gen(function* () {
      const bank = yield* BankUnderTest
      yield* Effect.promise(() =>
        fetch(`${bank.url}/simulator/credits`, {
          method: "POST",
          headers: { authorization: "Bearer key-of-the-bank-4711" },
          body: JSON.stringify({ amount: "10.00", message: "M", payment_rail: "wire" })
        })
      )
      const first = yield* Queue.take(heard)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow)))
      const second = yield* Queue.take(heard)
      assert.strictEqual(second.headers["webhook-id"], first.headers["webhook-id"])
    }).pipe(Effect.scoped, Effect.provide(layerOf({ url, secret })))
  })
)

it.effect("rejects messages signed with another key or with an old timestamp", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 2, 1))
    const now = yield* Clock.currentTimeMillis
    const other = Redacted.make("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    const message = (by: Redacted.Redacted, id: string, atMillis: number): Heard => ({
      headers: { ...StandardWebhook.sign(by, id, "{}", atMillis) },
      body: "{}"
    })
    assert.strictEqual((yield* Effect.flip(hear(message(other, "a", now)))).reason, "signature")
    assert.strictEqual((yield* Effect.flip(hear(message(secret, "a", now - 301_000)))).reason, "stale")
    assert.isTrue(yield* hear(message(secret, "a", now)))
    // A message is remembered as long as its timestamp is accepted.
    yield* TestClock.adjust("5 minutes")
    assert.isFalse(yield* hear(message(secret, "a", now)))
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Effect.flip(hear(message(secret, "a", now)))).reason, "stale")
  }).pipe(Effect.provide(BankWebhooks.layer(secret)))
)

it.effect("I48: remembers the newest ten thousand messages", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 2, 1))
    const webhooks = yield* BankWebhooks
    const now = yield* Clock.currentTimeMillis
    const tell = (id: string) => webhooks.hear({ ...StandardWebhook.sign(secret, id, "{}", now) }, "{}")
    for (let n = 0; n <= 10_000; n++) assert.isTrue(yield* tell(`m-${n}`))
    assert.isFalse(yield* tell("m-10000"))
    assert.isFalse(yield* tell("m-5000"))
    assert.isTrue(yield* tell("m-0"))
  }).pipe(Effect.provide(Layer.fresh(BankWebhooks.layer(secret))))
)
