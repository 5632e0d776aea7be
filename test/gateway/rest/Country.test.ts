/** Tests of the user's country as the operator's proxy reports it, and of its effects. */
import * as RestServer from "@venue/gateway/rest/RestServer"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { Revocations } from "@venue/storage/access/Revocations"
import { UserStates } from "@venue/storage/access/UserStates"
import * as Client from "@venue/testing/Client"
import { blockedCountry } from "@venue/testing/TestAccess"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, layer, RestClient, sockets } from "./RestClient.ts"

const ours = ["127.0.0.0/8", "::1"]
const countryHeader = "CF-IPCountry"

/** Opens another listener of the venue behind the given proxies. */
const opened = (options: Pick<RestServer.RestServerOptions, "trustedProxies" | "countryHeader">) =>
  Effect.map(RestServer.open({ host: "127.0.0.1", port: 0, brand: "acme", sockets, ...options }), ({ url }) => url)

const seen = ({ userId }: TestUser) => Effect.flatMap(UserStates, (states) => states.find(userId))

/** Sends a change that requires trading eligibility, and a read. */
const changeAndRead = (url: string, user: TestUser, headers: Record<string, string>) =>
  Effect.gen(function* () {
    const { signed } = yield* RestClient
    const changed = yield* call(`${url}/user/leverage`, {
      method: "POST",
      headers: { ...(yield* signed(user)), ...headers, "content-type": "application/json" },
      body: JSON.stringify({ symbol: "GOLD-USD", leverage: 5 })
    })
    const looked = yield* call(`${url}/user/positions`, { headers: { ...(yield* signed(user)), ...headers } })
    return [changed.status, changed.body.errors?.[0].location ?? "", looked.status]
  })

it.layer(layer, { excludeTestServices: true })("the country of a caller", (it) => {
  it.effect(
    "I47: after a request from a blocked country, refuses trading but not reads, until a request from another country",
    () =>
      Effect.gen(function* () {
        const url = yield* opened({ trustedProxies: ours, countryHeader })
        const user = yield* (yield* TestVenue).user("traveller")
        expect(yield* changeAndRead(url, user, { "cf-ipcountry": "DE" })).toEqual([200, "", 200])
        expect(yield* changeAndRead(url, user, { "cf-ipcountry": blockedCountry })).toEqual([
          403,
          "onboarding.region",
          200
        ])
        expect((yield* seen(user)).seenIn).toBe(blockedCountry)
        // None of these headers determines the user's current country.
        for (const nowhere of [{}, { "cf-ipcountry": "XX" }, { "cf-ipcountry": "T1" }, { "cf-ipcountry": "DE, NO" }]) {
          expect(yield* changeAndRead(url, user, nowhere)).toEqual([403, "onboarding.region", 200])
        }
        expect(yield* changeAndRead(url, user, { "cf-ipcountry": "no" })).toEqual([200, "", 200])
      })
  )

  it.effect("reads the country only from the configured header, and only if a trusted proxy sent it", () =>
    Effect.gen(function* () {
      const { restUrl } = yield* RestClient
      const strange = yield* opened({ trustedProxies: ["192.0.2.1"], countryHeader })
      const unnamed = yield* opened({ trustedProxies: ours })
      const other = yield* opened({ trustedProxies: ours, countryHeader: "X-Country" })
      const user = yield* (yield* TestVenue).user("forger")
      for (const url of [restUrl, strange, unnamed, other]) {
        const headers = { "cf-ipcountry": blockedCountry, "x-forwarded-for": "127.0.0.1" }
        expect(yield* changeAndRead(url, user, headers)).toEqual([200, "", 200])
      }
      expect((yield* seen(user)).seenIn).toBeNull()
    })
  )

  it.effect("stores a user's country only when the country changes", () =>
    Effect.gen(function* () {
      const url = yield* opened({ trustedProxies: ours, countryHeader })
      const user = yield* (yield* TestVenue).user("settled")
      let changes = 0
      yield* (yield* Revocations).watch(({ kind, subject }) => {
        if (kind === "user" && subject === user.userId) changes++
      })
      for (const country of ["DE", "DE", "DE", "NO", "NO"]) yield* changeAndRead(url, user, { "cf-ipcountry": country })
      expect(changes).toBe(2)
    })
  )

  it.effect("ignores the country of a request whose authentication fails", () =>
    Effect.gen(function* () {
      const { signed } = yield* RestClient
      const url = yield* opened({ trustedProxies: ours, countryHeader })
      const user = yield* (yield* TestVenue).user("victim")
      const headers = {
        ...(yield* signed(user)),
        "x-svc-hmac-signature": "0".repeat(64),
        "cf-ipcountry": blockedCountry
      }
      expect((yield* call(`${url}/user/positions`, { headers })).status).toBe(401)
      expect((yield* seen(user)).seenIn).toBeNull()
    })
  )

  it.effect(
    "I47: refuses trading on new and existing connections of a user in a blocked country, but allows reads",
    () =>
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const gateway = yield* TradeGateway
        const user = yield* venue.user("roamer")
        const connect = Effect.fnUntraced(function* (country?: string) {
          const client = yield* Client.open((transport) => gateway.open(transport, "", "", country))
          yield* client.send({ type: "auth", params: { hmac: yield* venue.sign(user) } })
          yield* client.take("authenticated")
          return client
        })
        const tries = Effect.fnUntraced(function* (client: Client.Client) {
          yield* client.send({ type: "set_user_leverage", params: { symbol: "GOLD-USD", leverage: 4 } })
          return (yield* client.take("err")).err.message
        })
        const open = yield* connect()
        expect((yield* seen(user)).seenIn).toBeNull()
        const client = yield* connect(blockedCountry)
        yield* venue.settle
        expect((yield* seen(user)).seenIn).toBe(blockedCountry)
        for (const connection of [client, open]) expect(yield* tries(connection)).toContain("region")
        yield* client.send({ type: "subscribe", params: { channels: ["fills"] } })
        yield* client.take("subscribed")
      })
  )
})
