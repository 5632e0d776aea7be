/** Venue with trades and users, and requests on the users' behalf. */
import { Bearers } from "@venue/auth/session/Bearers"
import { Hmac } from "@venue/auth/access/Hmac"
import { Figures } from "@venue/gateway/marketData/Figures"
import { Health } from "@venue/gateway/http/Health"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Profiles } from "@venue/storage/access/Profiles"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { Clock, Context, Effect, Layer } from "effect"
import * as Client from "../RestClient.ts"

export class Scene extends Context.Service<
  Scene,
  {
    /** User who has traded GOLD-USD, and has a position and a resting order in it. */
    readonly trader: TestUser
    /** User whose key has no permissions. */
    readonly powerless: TestUser
    /** URL of a listener of the same venue that is not ready and lacks a database. */
    readonly downUrl: string
  }
>()("test/gateway/rest/contract/Scene") {
  static readonly layer = Layer.effect(
    Scene,
    Effect.suspend(() => make)
  ).pipe(Layer.provideMerge(Client.layer))
}

/** Services that a provocation uses. */
export type Services = Layer.Success<typeof Scene.layer>

/** One request that provokes a certain status. */
export type Provocation = Effect.Effect<Client.Answer, unknown, Services>

export const withoutCredentials = (method: string, path: string, body?: unknown): Provocation =>
  Client.ask(method, path, {}, body)

/** Sends a request that the trader's key signs. */
export const byKey = (method: string, path: string, body?: unknown): Provocation =>
  Effect.flatMap(Scene, ({ trader }) => byKeyOf(trader, method, path, body))

export const byKeyOf = (user: TestUser, method: string, path: string, body?: unknown): Provocation =>
  Effect.gen(function* () {
    return yield* Client.ask(method, path, yield* (yield* Client.RestClient).signed(user), body)
  })

/** Sends a request in the trader's session. */
export const inPerson = (method: string, path: string, body?: unknown): Provocation =>
  Effect.flatMap(Scene, ({ trader }) => inPersonOf(trader, method, path, body))

export const inPersonOf = (user: TestUser, method: string, path: string, body?: unknown): Provocation =>
  Effect.gen(function* () {
    const authorization = `Bearer ${yield* (yield* TestVenue).token(user)}`
    return yield* Client.ask(method, path, { authorization }, body)
  })

/** Returns the trader's headers for one of the accepted kinds of credentials. */
export const credentialsFor = Effect.fnUntraced(function* (via: ReadonlyArray<"hmac" | "jwt">) {
  const { trader } = yield* Scene
  if (via.includes("hmac")) return yield* (yield* Client.RestClient).signed(trader)
  const token = via.length === 0 ? undefined : yield* (yield* TestVenue).token(trader)
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return headers
})

export const newcomer = (name: string, usd = 0): Effect.Effect<TestUser, never, Services> =>
  Effect.flatMap(TestVenue, (venue) => venue.user(name, usd))

/** Sends the same request to another listener. */
export const at = <A, E, R>(restUrl: string, self: Effect.Effect<A, E, R>) =>
  Effect.updateService(self, Client.RestClient, (client) => ({ ...client, ...Client.callsTo(restUrl) }))

const gone = () => Effect.fail(new DatabaseUnavailable({ cause: "a test" }))

const make = Effect.gen(function* () {
  const venue = yield* TestVenue
  yield* venue.price("GOLD-USD", 3_400)
  yield* venue.price("EUR-USD", 1.1)
  const trader = yield* venue.user("trader")
  const other = yield* venue.user("other")
  const maker = yield* venue.trade(trader)
  const taker = yield* venue.trade(other)
  const order = { symbol: "GOLD-USD", order_type: "LIMIT", order_time_in_force: "GTC", price: 3_400 }
  yield* maker.send({ type: "add_order", params: { ...order, side: "SELL", quantity: 3 } })
  yield* maker.take("order_response")
  yield* taker.send({ type: "add_order", params: { ...order, side: "BUY", quantity: 2 } })
  yield* taker.take("fill_response")
  yield* maker.take("fill_response")
  yield* planted
  const { url: downUrl } = yield* RestServer.open({
    host: "127.0.0.1",
    port: 0,
    brand: "acme",
    sockets: Client.sockets
  }).pipe(
    Effect.updateService(Hmac, (hmac) => ({ ...hmac, verify: gone })),
    Effect.updateService(Bearers, (bearers) => ({ ...bearers, verify: gone })),
    Effect.updateService(ReadTables, (tables) => ({ ...tables, read: gone, positions: gone, position: gone })),
    Effect.updateService(Profiles, (profiles) => ({ ...profiles, find: gone })),
    Effect.updateService(FuturesReference, (futures) => ({ ...futures, activeAt: gone, settlements: gone })),
    Effect.updateService(Figures, (figures) => ({ ...figures, day: () => undefined })),
    Effect.updateService(Health, (health) => ({ ...health, reason: () => "This gateway is stopping." }))
  )
  return Scene.of({ trader, powerless: yield* venue.user("powerless", 0, []), downUrl })
})

const day = 86_400_000

/** Records an oil future. */
const planted = Effect.gen(function* () {
  const { admin } = yield* Client.RestClient
  const now = yield* Clock.currentTimeMillis
  const iso = (millis: number) => new Date(millis).toISOString()
  yield* admin("POST", "/settlement-calendar", {
    symbol: "CL-USD",
    active_from: iso(now - day),
    futures: [{ future_symbol: "CLX6", active_until: iso(now + day), expiration: iso(now + 2 * day) }],
    reason: "a test"
  })
})
