/** Tests of request ids, which the venue generates or a trusted proxy sends. */
import * as RestServer from "@venue/gateway/rest/RestServer"
import * as RequestId from "@venue/gateway/http/RequestId"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, expect, it } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { call, layer, raw, RestClient, sockets } from "../rest/RestClient.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const given = "6F9619FF-8B86-4011-B42D-00C04FC964FF"

it("uses the request id that a trusted proxy sends if it is a UUID", () => {
  const idOf = RequestId.from(["10.0.0.0/8"])
  const idFrom = (peer: string, id: string) =>
    idOf({ remoteAddress: Option.some(peer), headers: { "x-request-id": id } })
  const plain = given.replaceAll("-", "").toLowerCase()
  for (const id of [given, plain]) assert.strictEqual(idFrom("10.1.2.3", id), id)
  assert.match(idFrom("192.0.2.1", given), uuid)
  for (const id of ["", "1", `${given}x`, `${given}, ${given}`, "6f9619ff8b86-4011-b42d-00c04fc964ff", "a\tb"]) {
    assert.match(idFrom("10.1.2.3", id), uuid)
  }
  for (const id of [given, plain]) {
    assert.strictEqual(RequestId.uriOf(id), "urn:uuid:6f9619ff-8b86-4011-b42d-00c04fc964ff")
  }
})

it.live("returns the request id in every response, and as the `instance` member of a problem", () =>
  Effect.gen(function* () {
    const { adminUrl, get, post, restUrl } = yield* RestClient
    const answers = [
      yield* get("/nope"),
      yield* get("/user/positions"),
      yield* post("/refdata", {}),
      yield* get("/candles/NOPE?resolution=1MIN&fromISO=x&toISO=y"),
      yield* call(`${adminUrl}/nope`)
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 401, 405, 422, 404])
    const ids = answers.map(({ headers }) => headers.get("x-request-id")!)
    expect(new Set(ids).size).toBe(answers.length)
    for (const [at, { body }] of answers.entries()) {
      expect(ids[at]).toMatch(uuid)
      expect(body.instance).toBe(`urn:uuid:${ids[at]}`)
    }
    const good = yield* get("/refdata")
    expect(good.headers.get("x-request-id")).toMatch(uuid)
    expect(good.headers.get("access-control-expose-headers")).toContain("x-request-id")
    const strange = yield* call(`${restUrl}/refdata`, { headers: { "x-request-id": given } })
    expect(strange.headers.get("x-request-id")).not.toBe(given)
    const [, unparsable = ""] = (yield* raw(restUrl, "nonsense\r\n\r\n")).split("\r\n\r\n")
    expect(JSON.parse(unparsable).instance).toMatch(/^urn:uuid:/)
  }).pipe(Effect.provide(layer))
)

it.live("returns the request id that a trusted proxy sent", () =>
  Effect.gen(function* () {
    const options = { host: "127.0.0.1", port: 0, brand: "acme", sockets, trustedProxies: ["127.0.0.1"] }
    const { url } = yield* RestServer.open(options)
    const answer = yield* call(`${url}/nope`, { headers: { "x-request-id": given } })
    expect(answer.headers.get("x-request-id")).toBe(given)
    expect(answer.body.instance).toBe(`urn:uuid:${given.toLowerCase()}`)
  }).pipe(Effect.provide(layer))
)

it.live("returns the server time with every 401 response and with no other response", () =>
  Effect.gen(function* () {
    const { get, signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("skewed")
    const before = yield* Clock.currentTimeMillis
    const good = yield* signed(user)
    const refused = [
      yield* get("/user/positions"),
      yield* get("/user/positions", { authorization: "Bearer x" }),
      yield* get("/user/positions", { ...good, "x-svc-timestamp": "1" })
    ]
    for (const { headers, status } of refused) {
      const serverTime = Number(headers.get("x-acme-server-time"))
      expect([status, serverTime >= before, serverTime <= (yield* Clock.currentTimeMillis)]).toEqual([401, true, true])
      expect(headers.get("access-control-expose-headers")).toContain("x-acme-server-time")
    }
    for (const { headers } of [yield* get("/refdata"), yield* get("/nope"), yield* get("/user/positions", good)]) {
      expect(headers.get("x-acme-server-time")).toBeNull()
    }
  }).pipe(Effect.provide(layer))
)
