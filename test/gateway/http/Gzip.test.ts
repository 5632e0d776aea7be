/** Tests of response compression. */
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { get as httpGet, type IncomingHttpHeaders } from "node:http"
import { gunzipSync } from "node:zlib"
import { layer, RestClient } from "../rest/RestClient.ts"

interface Bytes {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Returns a response body without decompressing it. */
const get = (url: string, headers: Record<string, string>) =>
  Effect.callback<Bytes>((resume) => {
    httpGet(url, { headers }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => parts.push(chunk))
      response.on("end", () => resume(Effect.succeed({ headers: response.headers, body: Buffer.concat(parts) })))
    })
  })

it.live("returns the same market data compressed to clients that accept gzip", () =>
  Effect.gen(function* () {
    const { restUrl } = yield* RestClient
    const plain = yield* get(`${restUrl}/refdata`, {})
    assert.isUndefined(plain.headers["content-encoding"])
    assert.strictEqual(plain.headers.vary, "Accept-Encoding")
    for (const accepted of ["gzip", "gzip, deflate, br", "br;q=1, gzip;q=0.1", "*"]) {
      const zipped = yield* get(`${restUrl}/refdata`, { "accept-encoding": accepted })
      assert.strictEqual(zipped.headers["content-encoding"], "gzip", accepted)
      assert.strictEqual(zipped.headers["content-length"], String(zipped.body.length))
      assert.isBelow(zipped.body.length, plain.body.length / 2)
      assert.strictEqual(gunzipSync(zipped.body).toString(), plain.body.toString())
    }
    for (const refused of ["identity", "gzip;q=0", "br", ""]) {
      const { body, headers } = yield* get(`${restUrl}/refdata`, { "accept-encoding": refused })
      assert.isUndefined(headers["content-encoding"], refused)
      assert.strictEqual(body.toString(), plain.body.toString())
    }
  }).pipe(Effect.provide(layer))
)

it.live("does not compress small bodies or account data", () =>
  Effect.gen(function* () {
    const { restUrl, signed } = yield* RestClient
    const accepting = { "accept-encoding": "gzip" }
    const small = yield* get(`${restUrl}/refdata?ticker=NOPE`, accepting)
    assert.isUndefined(small.headers["content-encoding"])
    const user = yield* (yield* TestVenue).user("private")
    const own = yield* get(`${restUrl}/user/positions`, { ...accepting, ...(yield* signed(user)) })
    assert.deepStrictEqual([own.headers["content-encoding"], own.headers.vary], [undefined, undefined])
  }).pipe(Effect.provide(layer))
)
