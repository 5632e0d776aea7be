/** Tests that the statuses in the REST and operator documents match the responses. */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { adminToken, call, layer, layerCutOff, RestClient } from "./RestClient.ts"

interface Operation {
  readonly name: string
  readonly url: string
  readonly method: string
  readonly hasBody: boolean
  readonly bySignature: boolean
  readonly statuses: ReadonlyArray<number>
}

const operationsAt = Effect.fnUntraced(function* (url: string) {
  const { body } = yield* call(`${url}/openapi.json`)
  // oxlint-disable-next-line typescript/no-explicit-any
  return Object.entries<Record<string, any>>(body.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { requestBody, responses, security }]): Operation => ({
      name: `${method.toUpperCase()} ${path}`,
      url: `${url}${path.replaceAll(/\{\w+\}/g, "x")}`,
      method: method.toUpperCase(),
      hasBody: requestBody !== undefined,
      bySignature: security?.some((scheme: object) => "nonce" in scheme) ?? false,
      statuses: Object.keys(responses).map(Number)
    }))
  )
})

const documents = Effect.gen(function* () {
  const { adminUrl, restUrl } = yield* RestClient
  return [...(yield* operationsAt(restUrl)), ...(yield* operationsAt(adminUrl))]
})

it.live("documents 413 and 415 for every operation with a body, and 504 for every operation", () =>
  Effect.gen(function* () {
    const operations = yield* documents
    expect(operations.filter(({ hasBody }) => hasBody).length).toBeGreaterThan(15)
    for (const { hasBody, method, name, statuses, url } of operations) {
      expect([name, statuses]).toEqual([name, expect.arrayContaining([504])])
      if (!hasBody) continue
      const send = (type: string, body: string) =>
        call(url, { method, body, headers: { authorization: `Bearer ${adminToken}`, "content-type": type } })
      for (const [status, type, body] of [
        [413, "application/json", `"${"x".repeat(64 * 1024)}"`],
        [415, "text/plain", "{}"]
      ] as const) {
        expect([name, (yield* send(type, body)).status]).toEqual([name, status])
        expect([name, statuses]).toEqual([name, expect.arrayContaining([status])])
      }
    }
  }).pipe(Effect.provide(layer))
)

it.live("documents 400 for every operation with a body, and 429 for every operation except the health checks", () =>
  Effect.gen(function* () {
    const { restUrl } = yield* RestClient
    for (const { hasBody, name, statuses } of yield* documents) {
      if (hasBody) expect([name, statuses]).toEqual([name, expect.arrayContaining([400])])
    }
    for (const { name, statuses } of yield* operationsAt(restUrl)) {
      expect([name, statuses.includes(429)]).toEqual([name, !name.startsWith("GET /health/")])
    }
  }).pipe(Effect.provide(layer))
)

it.live("documents 503 for every signed request", () =>
  Effect.gen(function* () {
    const { signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("signer")
    const signedOperations = (yield* documents).filter(({ bySignature }) => bySignature)
    expect(signedOperations.length).toBeGreaterThan(5)
    for (const { hasBody, method, name, statuses, url } of signedOperations) {
      const headers = { ...(yield* signed(user)), "content-type": "application/json" }
      const answer = yield* call(url, { method, headers, ...(hasBody ? { body: "{}" } : {}) })
      expect([name, answer.status, answer.headers.get("content-type")]).toEqual([name, 503, "application/problem+json"])
      expect([name, statuses]).toEqual([name, expect.arrayContaining([503])])
    }
  }).pipe(Effect.provide(layerCutOff("gone")))
)
