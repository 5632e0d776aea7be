/** What every address of the venue has in common. */
import * as Listening from "@venue/gateway/http/Listening"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { call } from "../rest/RestClient.ts"

const place = { what: "a test", host: "127.0.0.1", port: 0 }

it("an address of the newer kind stands in brackets, wherever it is told", () => {
  expect(Listening.urlOf("ws", "::1", 4003)).toBe("ws://[::1]:4003")
  expect(Listening.urlOf("http", "127.0.0.1", 4000)).toBe("http://127.0.0.1:4000")
  const cause = new Error("in use")
  expect(new Listening.ListenFailed({ what: "a test", host: "::1", port: 4003, cause }).message).toBe(
    "a test cannot listen on [::1]:4003: in use"
  )
})

it.live("I50: a connection that cannot be taken is logged, and the next one is served", () => {
  const logs: Array<string> = []
  return Effect.gen(function* () {
    const { port, server } = yield* Listening.open(place)
    server.on("request", (_, response) => response.end("served"))
    for (const code of ["ENFILE", "EMFILE"]) server.emit("error", Object.assign(new Error(`accept ${code}`), { code }))
    expect((yield* call(`http://127.0.0.1:${port}/`)).text).toBe("served")
    expect(logs.map((line) => /a connection could not be taken.*accept (\w+)/s.exec(line)?.[1])).toEqual([
      "ENFILE",
      "EMFILE"
    ])
  }).pipe(Effect.provide(Logger.layer([Logger.make((entry) => void logs.push(Logger.formatLogFmt.log(entry)))])))
})

it.live("whoever sends nothing has no connection for ever", () =>
  Effect.gen(function* () {
    const { server } = yield* Listening.open(place)
    expect(server).toMatchObject({ requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 1_000 })
  })
)

it.effect("a port is free again when its scope closes, and who is still connected after two seconds is cut off", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { port } = yield* Scope.provide(Listening.open(place), scope)
    const cutOff = yield* Deferred.make<void>()
    yield* Effect.callback<void>((resume) => {
      const client = connect(port, "127.0.0.1", () => client.write("GET / HTTP/1.1\r\n", () => resume(Effect.void)))
      client.on("error", () => {})
      client.on("close", () => Deferred.doneUnsafe(cutOff, Effect.void))
    })
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(closing)
    yield* Deferred.await(cutOff)
    yield* Listening.open({ ...place, port })
  })
)
