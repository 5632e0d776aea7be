/**
 * Contract walk through an OpenAPI document: provokes each status of each endpoint and checks each body against its
 * schema. The requests are in the interface's provocations and in `CommonProvocations.ts`. A missing or unused
 * provocation fails the walk.
 */
import type { Page } from "@venue/api/ProblemPages"
import type { Route } from "@venue/gateway/http/Gate"
import * as HttpListener from "@venue/gateway/http/HttpListener"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { TestClock } from "effect/testing"
import { type Answer, call, RestClient } from "../RestClient.ts"
import { withValidCredentials, commonProvocations, urlOf } from "./CommonProvocations.ts"
import type { Description, Operation } from "./Operations.ts"
import { lackOf, pageOf } from "./RefusalText.ts"
import { withoutCredentials, at, byKey, type Provocation, Scene, type Services } from "./Scene.ts"

export interface Walk {
  readonly description: Description
  readonly routes: ReadonlyArray<Route>
  readonly provocations: Readonly<Record<string, Readonly<Record<number, Provocation>>>>
  readonly scene: Layer.Layer<Services, unknown>
  /** A request for a change. It is refused, and has the usual weight. */
  readonly change: readonly [method: string, path: string, body: unknown]
  /** Problem pages that the walk must provoke. */
  readonly pages: ReadonlyArray<Page>
}

/** Statuses that are provoked below at all endpoints together. */
const walkedTogether = new Set([429, 504])

export const walk = ({ change, description, pages, provocations, routes, scene }: Walk): void => {
  const { faultOf, operations, spec } = description
  const met = new Set<Page>()

  const successOf = ({ name }: Operation): Provocation | undefined =>
    Object.entries(provocations[name] ?? {}).find(([status]) => Number(status) < 300)?.[1]

  /** While the database is down, credentials cannot be checked and public endpoints cannot read. */
  const whileDown = (operation: Operation): Provocation | undefined => {
    const ask = operation.via.length === 0 ? successOf(operation) : withValidCredentials(operation, urlOf(operation))
    return ask === undefined ? undefined : Effect.flatMap(Scene, ({ downUrl }) => at(downUrl, ask))
  }

  const provocationOf = (operation: Operation, status: number): Provocation | undefined =>
    provocations[operation.name]?.[status] ??
    (status === 503 ? whileDown(operation) : commonProvocations[status]?.(operation))

  const asDescribed = (operation: Operation, status: number, answer: Answer): void => {
    expect([operation.name, answer.status, answer.text.slice(0, 300)]).toEqual([
      operation.name,
      status,
      expect.any(String)
    ])
    expect(faultOf(operation, answer)).toBeUndefined()
    if (status < 400) return
    expect([operation.name, status, lackOf(answer)]).toEqual([operation.name, status, undefined])
    const page = pageOf(answer)
    if (page !== undefined) met.add(page)
  }

  it("has one request for each documented status of every endpoint, and no request for an undocumented status", () => {
    expect(operations.length).toBeGreaterThan(5)
    const missing = operations.flatMap((operation) =>
      operation.statuses
        .filter((status) => !walkedTogether.has(status) && provocationOf(operation, status) === undefined)
        .map((status) => `${operation.name}: ${status}`)
    )
    expect(missing).toEqual([])
    const named = new Set(operations.flatMap(({ name, statuses }) => statuses.map((status) => `${name}: ${status}`)))
    const provoked = Object.entries(provocations).flatMap(([name, ways]) =>
      Object.keys(ways).map((status) => `${name}: ${status}`)
    )
    expect(provoked.filter((one) => !named.has(one))).toEqual([])
  })

  it.layer(scene, { excludeTestServices: true, timeout: "60 seconds" })("walk of a venue", (it) => {
    it.effect("the venue serves the OpenAPI document that this test checks", () =>
      Effect.gen(function* () {
        const { get, restUrl } = yield* RestClient
        const { body } = yield* get("/openapi.json")
        expect(body).toEqual(JSON.parse(JSON.stringify(spec).replaceAll("http://venue.test", restUrl)))
      })
    )

    for (const operation of operations) {
      it.effect(`${operation.name} returns each of its documented statuses with a valid body`, () =>
        Effect.gen(function* () {
          for (const status of operation.statuses) {
            if (walkedTogether.has(status)) continue
            asDescribed(operation, status, yield* provocationOf(operation, status)!)
          }
        })
      )
    }
  })

  it.effect("returns 429 at every documented endpoint once the IP address's or user's limit is used up", () =>
    Effect.gen(function* () {
      // No time passes, so the bucket gains no tokens.
      for (const ask of [byKey, withoutCredentials]) {
        const spent = Effect.repeat(ask(...change), {
          until: ({ status }) => status === 429,
          times: 150
        })
        expect((yield* spent).status).toBe(429)
      }
      const limited = operations.filter(({ statuses }) => statuses.includes(429))
      expect(limited.length).toBeGreaterThan(5)
      for (const operation of limited)
        asDescribed(operation, 429, yield* withValidCredentials(operation, urlOf(operation)))
    }).pipe(Effect.provide(scene))
  )

  it.effect("returns 504 at every documented endpoint after the deadline", () =>
    Effect.gen(function* () {
      const named = operations.filter(({ statuses }) => statuses.includes(504))
      const allAsked = yield* Deferred.make<void>()
      let waiting = 0
      const never = Effect.suspend(() => {
        if (++waiting === named.length) Deferred.doneUnsafe(allAsked, Effect.void)
        return Effect.never
      })
      const { url } = yield* HttpListener.listen({ what: "a test", host: "127.0.0.1", port: 0 }, () => ({
        layer: Layer.mergeAll(
          Layer.empty,
          ...routes.map(({ method, path }) => HttpRouter.add(method as "GET", path as HttpRouter.PathInput, never))
        ),
        routes
      }))
      const answers = yield* Effect.forEach(
        named,
        (operation) =>
          Effect.map(call(`${url}${urlOf(operation)}`, { method: operation.method }), (answer) => ({
            operation,
            answer
          })),
        { concurrency: "unbounded" }
      ).pipe(Effect.forkChild)
      yield* Deferred.await(allAsked)
      yield* TestClock.adjust("15 seconds")
      for (const { answer, operation } of yield* Fiber.join(answers)) asDescribed(operation, 504, answer)
    })
  )

  it("provokes every problem whose page is listed as covered by this test", () => {
    expect(pages.filter((page) => !met.has(page))).toEqual([])
  })
}
