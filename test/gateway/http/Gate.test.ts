/** Tests of the HTTP gate, which applies deadlines to routes and formats their responses. */
import * as Deadlines from "@venue/gateway/http/Deadlines"
import { gate } from "@venue/gateway/http/Gate"
import { problemRefusals } from "@venue/gateway/http/ProblemRefusals"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerResponse } from "effect/http"

it.live("interrupts a route at its deadline and returns 504, without affecting other routes", () =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const interrupted = yield* Deferred.make<void>()
    const silent = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
    yield* router.addAll([
      HttpRouter.route("GET", "/silent", silent),
      HttpRouter.route("GET", "/prompt", Effect.succeed(HttpServerResponse.text("here")))
    ])
    const routes = ["/silent", "/prompt"].map((path) => ({ method: "GET", path }))
    const within = yield* Deadlines.make(50)
    const app = gate({ refusals: problemRefusals("http://here"), routes, within }, router.asHttpEffect())
    const handle = HttpEffect.toWebHandler(app)
    const get = (path: string) => Effect.promise(() => handle(new Request(`http://here${path}`)))
    const [late, prompt] = yield* Effect.all([get("/silent"), get("/prompt")], { concurrency: 2 })
    yield* Deferred.await(interrupted)
    assert.strictEqual(late.status, 504)
    assert.match(yield* Effect.promise(() => late.text()), /deadline-passed/)
    assert.deepStrictEqual([prompt.status, yield* Effect.promise(() => prompt.text())], [200, "here"])
  })
)

it.live("prints numbers in JSON responses and problems as plain decimals, and leaves other text unchanged", () =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const answers = {
      "/small": HttpServerResponse.jsonUnsafe({ rate: 3.3e-7, id: "7e-4" }),
      "/large": HttpServerResponse.jsonUnsafe(
        { value: 1e21 },
        { status: 422, contentType: "application/problem+json" }
      ),
      "/text": HttpServerResponse.text("3.3e-7")
    }
    yield* router.addAll(
      Object.entries(answers).map(([path, answer]) => HttpRouter.route("GET", path as "/", Effect.succeed(answer)))
    )
    const routes = Object.keys(answers).map((path) => ({ method: "GET", path }))
    const within = yield* Deadlines.make(1_000)
    const app = gate({ refusals: problemRefusals("http://here"), routes, within }, router.asHttpEffect())
    const handle = HttpEffect.toWebHandler(app)
    const get = (path: string) => Effect.promise(async () => (await handle(new Request(`http://here${path}`))).text())
    assert.strictEqual(yield* get("/small"), `{"rate":0.00000033,"id":"7e-4"}`)
    assert.strictEqual(JSON.parse(yield* get("/large")).value, 1e21)
    assert.include(yield* get("/large"), "1000000000000000000000")
    assert.strictEqual(yield* get("/text"), "3.3e-7")
  })
)
