/** Tests of the texts of a 401 over REST. */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, RestClient } from "./RestClient.ts"

it.layer(layer, { excludeTestServices: true })("credentials", (it) => {
  it.effect("a 401 response names missing headers or a wrong clock, and has the same text for every other fault", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const user = yield* (yield* TestVenue).user("wrong")
      const good = yield* rest.signed(user)
      const answers = yield* Effect.forEach(
        [
          { ...good, "x-svc-hmac-signature": "0".repeat(64) },
          { ...good, "x-svc-public-key": `svc_test_pub_${"0".repeat(32)}` },
          { ...good, "x-svc-nonce": "not hex" },
          { ...good, authorization: "Bearer abc" }
        ],
        (headers) => rest.get("/user/positions", headers)
      )
      for (const { body, headers, status } of answers) {
        expect([status, headers.get("content-type")]).toEqual([401, "application/problem+json"])
        expect({ ...body, instance: "" }).toEqual({ ...answers[0]!.body, instance: "" })
        expect(headers.get("x-acme-server-time")).toMatch(/^\d{13}$/)
      }
      const detail = (headers: Record<string, string>) =>
        Effect.map(rest.get("/user/positions", headers), ({ body, headers, status }) => {
          expect([status, body.type.endsWith("/problems/credentials-not-accepted")]).toEqual([401, true])
          expect(headers.get("x-acme-server-time")).toMatch(/^\d{13}$/)
          return body.detail
        })
      expect(yield* detail({})).toBe(
        "Credentials are missing: send Authorization: Bearer with an access token, or sign the request with x-acme-public-key, x-acme-nonce, x-acme-timestamp, x-acme-hmac-signature."
      )
      const { "x-svc-nonce": _, ...withoutNonce } = good
      expect(yield* detail(withoutNonce)).toBe("Signature headers are missing; send x-acme-nonce.")
      expect(yield* detail({ authorization: "Basic abc" })).toContain("The bearer token is missing")
      // Known and unknown keys get the same response.
      for (const key of [user.publicKey, `svc_test_pub_${"0".repeat(32)}`]) {
        for (const timestamp of ["1", "x", "99999999999"]) {
          const off = { ...good, "x-svc-public-key": key, "x-svc-timestamp": timestamp }
          expect(yield* detail(off)).toContain(
            `outside the allowed window: x-acme-timestamp is "${timestamp}"; expected Unix seconds`
          )
        }
      }
      expect((yield* rest.get("/user/positions", good)).status).toBe(200)
    })
  )
})
