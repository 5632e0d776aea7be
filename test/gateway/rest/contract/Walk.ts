/**
 * The description of an interface is walked from end to end: each endpoint is brought to answer with each status that it
 * names, and each answer has the body that it names. How, stands with the provocations of the interface and in
 * `Everybody.ts`; an endpoint or a status without a provocation fails here, and so does a provocation that nothing asks for.
 */
import type { Page } from "@venue/api/ProblemPages"
import type { Route } from "@venue/gateway/http/Gate"
import * as HttpListener from "@venue/gateway/http/HttpListener"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { TestClock } from "effect/testing"
import { type Answer, call, RestClient } from "../RestClient.ts"
import { asMayAsk, everybody, urlOf } from "./Everybody.ts"
import type { Description, Operation } from "./Operations.ts"
import { lackOf, pageOf } from "./RefusalText.ts"
import { asked, at, byKey, type Provocation, Scene, type Services } from "./Scene.ts"

export interface Walk {
  readonly description: Description
  readonly routes: ReadonlyArray<Route>
  readonly provocations: Readonly<Record<string, Readonly<Record<number, Provocation>>>>
  readonly scene: Layer.Layer<Services, unknown>
  /** A change that is refused, and weighs as all changes do. */
  readonly change: readonly [method: string, path: string, body: unknown]
  /** Problem pages that the walk is to meet. */
  readonly pages: ReadonlyArray<Page>
}

/** These are provoked below, of all at once. */
const walkedTogether = new Set([429, 504])

export const walk = ({ change, description, pages, provocations, routes, scene }: Walk): void => {
  const { faultOf, operations, spec } = description
  const met = new Set<Page>()

  /** A request for the answer that an operation gives when all is well. */
  const successOf = ({ name }: Operation): Provocation | undefined =>
    Object.entries(provocations[name] ?? {}).find(([status]) => Number(status) < 300)?.[1]

  /** Whoever shows credentials learns there that they cannot be checked, and everybody else that nothing can be read. */
  const whileDown = (operation: Operation): Provocation | undefined => {
    const ask = operation.via.length === 0 ? successOf(operation) : asMayAsk(operation, urlOf(operation))
    return ask === undefined ? undefined : Effect.flatMap(Scene, ({ downUrl }) => at(downUrl, ask))
  }

  const provocationOf = (operation: Operation, status: number): Provocation | undefined =>
    provocations[operation.name]?.[status] ?? (status === 503 ? whileDown(operation) : everybody[status]?.(operation))

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

  it("every endpoint and every status that it names has a provocation, and every provocation is of one that is named", () => {
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

  it.layer(scene, { excludeTestServices: true, timeout: "60 seconds" })("of a venue", (it) => {
    it.effect("the description that is served is the one that is walked", () =>
      Effect.gen(function* () {
        const { get, restUrl } = yield* RestClient
        const { body } = yield* get("/openapi.json")
        expect(body).toEqual(JSON.parse(JSON.stringify(spec).replaceAll("http://venue.test", restUrl)))
      })
    )

    for (const operation of operations) {
      it.effect(`${operation.name} answers with each of its statuses as described`, () =>
        Effect.gen(function* () {
          for (const status of operation.statuses) {
            if (walkedTogether.has(status)) continue
            asDescribed(operation, status, yield* provocationOf(operation, status)!)
          }
        })
      )
    }
  })

  it.effect("whoever has spent what an address or a user has is told so, by 429, at every endpoint that names it", () =>
    Effect.gen(function* () {
      // No time passes, so nothing comes back.
      for (const ask of [byKey, asked]) {
        const spent = Effect.repeat(ask(...change), {
          until: ({ status }) => status === 429,
          times: 150
        })
        expect((yield* spent).status).toBe(429)
      }
      const limited = operations.filter(({ statuses }) => statuses.includes(429))
      expect(limited.length).toBeGreaterThan(5)
      for (const operation of limited) asDescribed(operation, 429, yield* asMayAsk(operation, urlOf(operation)))
    }).pipe(Effect.provide(scene))
  )

  it.effect("whatever takes longer than a request may is told so, by 504, at every endpoint that names it", () =>
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

  it("meets each problem page that is listed for it", () => {
    expect(pages.filter((page) => !met.has(page))).toEqual([])
  })
}
