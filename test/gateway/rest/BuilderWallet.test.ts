/** Tests of builder codes, and of API keys that builders obtain for wallets, over real sockets. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { Profiles } from "@venue/storage/access/Profiles"
import { Users } from "@venue/storage/access/Users"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { wallet } from "../../auth/wallet/Wallets.ts"
import { type Answer, call, layer, RestClient, sockets } from "./RestClient.ts"

const shares = { svc_fee_share_bps: 5_000, builder_fee_share_bps: 3_000 }
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the body without `instance`, which differs in every response. */
const wordsOf = ({ body }: Answer) => ({ ...body, instance: "" })

it.layer(layer, { excludeTestServices: true })("builders", (it) => {
  let builders = 0
  let wallets = 0

  /** Returns a builder with an active code, and a new wallet. */
  const scene = Effect.gen(function* () {
    const venue = yield* TestVenue
    const { post, signed } = yield* RestClient
    const name = `builder-no-${++builders}`
    const user = yield* venue.user(name, 0, ["register_user"])
    yield* (yield* Profiles).change(user.userId, { username: name })
    const { body } = yield* post("/user/builder-code", shares, yield* signed(user))
    const builderCode: string = body.builder_code
    yield* activated(builderCode, true)
    return { user, builderCode, owner: wallet(++wallets) }
  })
  const activated = (builder_code: string, active: boolean) =>
    Effect.flatMap(RestClient, ({ admin }) =>
      admin("POST", `/builder-codes/${active ? "activate" : "deactivate"}`, { builder_code, reason: "a test" })
    )
  const message = Effect.fnUntraced(function* (address: string, builderCode: string) {
    const { get } = yield* RestClient
    const { body } = yield* get(`/builder/web3/message?address=${address}&builder_code=${builderCode}`)
    return body.message as string
  })
  const register = Effect.fnUntraced(function* (user: TestUser, body: unknown) {
    const { post, signed } = yield* RestClient
    return yield* post("/builder/web3/api-key", body, yield* signed(user))
  })
  const signedBy = (owner: ReturnType<typeof wallet>, text: string) => ({
    message: text,
    signature: owner.sign(text)
  })

  it.effect("creates a builder code once with the requested shares, and returns it", () =>
    Effect.gen(function* () {
      const { get, post, signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("shares")
      expect((yield* get("/user/builder-code", yield* signed(user))).status).toBe(404)
      const created = yield* post("/user/builder-code", shares, yield* signed(user))
      expect([created.status, created.headers.get("cache-control")]).toEqual([201, "no-store"])
      const { $schema, builder_code, created_at, updated_at, ...rest } = created.body
      expect($schema).toMatch(/\/schemas\/BuilderCodeBody\.json$/)
      expect(builder_code).toMatch(uuid)
      expect(created_at).toBe(updated_at)
      expect(rest).toEqual({
        acme_fee_share_bps: 5_000,
        acme_fee_share_percent: 50,
        builder_fee_share_bps: 3_000,
        builder_fee_share_percent: 30,
        is_active: true
      })
      const again = yield* post("/user/builder-code", { ...shares, builder_fee_share_bps: 0 }, yield* signed(user))
      expect(again.status).toBe(409)
      expect((yield* get("/user/builder-code", yield* signed(user))).body).toEqual(created.body)
    })
  )

  it.effect("refuses shares out of bounds and malformed bodies, and creates no builder code", () =>
    Effect.gen(function* () {
      const { get, post, signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("bounds")
      const bodies = [
        {},
        { svc_fee_share_bps: 5_000 },
        { svc_fee_share_bps: 4_999, builder_fee_share_bps: 0 },
        { svc_fee_share_bps: 5_000, builder_fee_share_bps: -1 },
        { svc_fee_share_bps: 5_000, builder_fee_share_bps: 5_001 },
        { svc_fee_share_bps: 5_001, builder_fee_share_bps: 5_000 },
        { svc_fee_share_bps: 10_001, builder_fee_share_bps: 0 },
        { svc_fee_share_bps: 5_000.5, builder_fee_share_bps: 0 },
        { svc_fee_share_bps: "5000 bps", builder_fee_share_bps: 0 },
        { ...shares, active: true }
      ]
      for (const body of bodies) {
        expect((yield* post("/user/builder-code", body, yield* signed(user))).status).toBe(422)
      }
      expect((yield* get("/user/builder-code", yield* signed(user))).status).toBe(404)
      const widest = { svc_fee_share_bps: "5000", builder_fee_share_bps: 5_000 }
      expect((yield* post("/user/builder-code", widest, yield* signed(user))).status).toBe(201)
    })
  )

  it.effect(
    "the share fields of a builder code start with the operator's prefix, or with svc on a venue without a prefix",
    () =>
      Effect.gen(function* () {
        const { get, post, signed } = yield* RestClient
        const user = yield* (yield* TestVenue).user("branded")
        const faults = Effect.fnUntraced(function* (body: unknown) {
          const answer = yield* post("/user/builder-code", body, yield* signed(user))
          expect([answer.status, answer.headers.get("content-type")]).toEqual([422, "application/problem+json"])
          return answer.body.errors
        })
        const branded = { acme_fee_share_bps: 5_000, builder_fee_share_bps: 3_000 }
        expect(yield* faults({ ...branded, acme_fee_share_bps: 4_000 })).toEqual([
          { location: "body.acme_fee_share_bps", message: expect.stringContaining("nearest is 5000"), value: 4_000 }
        ])
        expect(yield* faults({ ...branded, svc_fee_share_bps: 5_000 })).toEqual([
          expect.objectContaining({ location: "body.acme_fee_share_bps" })
        ])
        expect(yield* faults({ builder_fee_share_bps: 0 })).toEqual([
          expect.objectContaining({ location: "body.acme_fee_share_bps" })
        ])
        for (const text of ["{", "", "[]"])
          expect(yield* faults(text)).toEqual([expect.objectContaining({ location: "body" })])
        expect((yield* post("/user/builder-code", branded, yield* signed(user))).status).toBe(201)

        const neutral = yield* RestServer.open({ host: "127.0.0.1", port: 0, brand: "svc", sockets })
        const { body } = yield* call(`${neutral.url}/user/builder-code`, { headers: yield* signed(user) })
        expect(body).toMatchObject({ ...shares, svc_fee_share_percent: 50, builder_fee_share_percent: 30 })
        const { properties, required } = (yield* get("/schemas/CreateBuilderCodeRequestBody.json")).body
        expect([required, Object.keys(properties)]).toEqual([
          ["acme_fee_share_bps", "builder_fee_share_bps"],
          ["$schema", "acme_fee_share_bps", "builder_fee_share_bps"]
        ])
        expect(Object.keys((yield* get("/schemas/BuilderCodeBody.json")).body.properties)).toContain(
          "acme_fee_share_percent"
        )
      })
  )

  it.effect("refuses requests from a session to create builder codes or to register wallets", () =>
    Effect.gen(function* () {
      const { get, post } = yield* RestClient
      const { builderCode, owner, user } = yield* scene
      const bearer = { authorization: `Bearer ${yield* (yield* TestVenue).token(user)}` }
      const text = yield* message(owner.address, builderCode)
      expect((yield* get("/user/builder-code", bearer)).status).toBe(403)
      expect((yield* post("/builder/web3/api-key", signedBy(owner, text), bearer)).status).toBe(403)
      expect((yield* register(user, signedBy(owner, text))).status).toBe(201)
    })
  )

  it.effect("B1: returns a registration message to any caller, even for an unknown builder", () =>
    Effect.gen(function* () {
      const { get } = yield* RestClient
      const { address } = wallet(240)
      const code = "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"
      const path = "/builder/web3/message"
      const good = yield* get(`${path}?address=${address.toLowerCase()}&builder_code=${code.toUpperCase()}&colour=red`)
      expect([good.status, good.headers.get("cache-control")]).toEqual([200, "no-store"])
      expect(Object.keys(good.body)).toEqual(["message"])
      const lines = good.body.message.split("\n")
      expect([lines[0], lines[1]]).toEqual(["app.venue.test wants you to sign in with your Ethereum account:", address])
      expect(lines[3]).toContain(code)
      const fields = lines.slice(5).map((line: string) => line.split(": ")[0])
      expect(fields).toEqual(["URI", "Version", "Chain ID", "Nonce", "Issued At", "Expiration Time"])
      const [issued, expires] = lines.slice(-2).map((line: string) => Date.parse(line.split(": ")[1] ?? ""))
      expect(expires - issued).toBe(600_000)

      const wrongCase = address.replace(/[a-z](?=\w*$)/, (letter) => letter.toUpperCase())
      for (const query of [`address=0x12&builder_code=${code}`, `address=${address}&builder_code=carol`]) {
        expect((yield* get(`${path}?${query}`)).status).toBe(400)
      }
      const invalid = yield* get(`${path}?address=${wrongCase}&builder_code=${code}`)
      expect([invalid.status, invalid.body.type]).toEqual([400, expect.stringContaining("/invalid-wallet-address")])
      expect(invalid.body.detail).toContain(wrongCase)
      for (const query of ["", `address=${address}`, `builder_code=${code}`]) {
        expect((yield* get(`${path}?${query}`)).status).toBe(422)
      }
      const twice = `address=${address}&address=${address}&builder_code=${code}`
      expect((yield* get(`${path}?${twice}`)).status).toBe(422)
    })
  )

  it.effect("B2: issues a key that can read the main account, but cannot trade before onboarding is complete", () =>
    Effect.gen(function* () {
      const { get, post, signed } = yield* RestClient
      const { builderCode, owner, user } = yield* scene
      const text = yield* message(owner.address, builderCode)
      const issued = yield* register(user, signedBy(owner, text))
      expect([issued.status, issued.headers.get("cache-control")]).toEqual([201, "no-store"])
      const { account_id, public_key, secret_key, user_id, ...others } = issued.body
      expect(others).toEqual({})
      expect([account_id, user_id]).toEqual([user_id, expect.stringMatching(uuid)])
      const key = { userId: user_id, publicKey: public_key, secretKey: secret_key }
      for (const path of ["/user/positions", "/user/trade", "/user/onboarding"]) {
        expect([path, (yield* get(path, yield* signed(key))).status]).toEqual([path, 200])
      }
      expect((yield* get("/user/api-keys", yield* signed(key))).status).toBe(403)
      expect((yield* post("/user/builder-code", shares, yield* signed(key))).status).toBe(403)
      expect((yield* register(key, signedBy(owner, text))).status).toBe(403)
      // The message accepts the terms, but the user's identity is not verified.
      const leverage = yield* post(
        "/user/leverage",
        { symbol: MarketSymbol.make("GOLD-USD"), leverage: 5 },
        yield* signed(key)
      )
      expect(leverage.status).toBe(403)
      const { body } = yield* get("/user/onboarding", yield* signed(key))
      expect(body).toMatchObject({ can_trade: false, terms_accepted: true, missing: ["identity"] })
    })
  )

  it.effect(
    "lists the builders that hold one of the user's keys, and revokes a builder's key with immediate effect",
    () =>
      Effect.gen(function* () {
        const { get, restUrl, signed } = yield* RestClient
        const venue = yield* TestVenue
        const { builderCode, owner, user } = yield* scene
        const issued = yield* register(user, signedBy(owner, yield* message(owner.address, builderCode)))
        const { public_key, secret_key, user_id } = issued.body
        const key = { userId: user_id, publicKey: public_key, secretKey: secret_key }
        expect((yield* get("/user/positions", yield* signed(key))).status).toBe(200)
        const bearer = { authorization: `Bearer ${yield* venue.token(key)}` }
        const grants = yield* get("/user/builder-grants", bearer)
        expect([grants.status, grants.body.count]).toEqual([200, 1])
        expect(grants.body.data).toEqual([
          {
            builder_id: user.userId,
            builder_name: `builder-no-${builders}`,
            created_at: expect.any(String),
            last_used_at: grants.body.data[0].last_used_at
          }
        ])
        expect(grants.text).not.toContain(public_key)
        // The key cannot list the grants, and another user has no grant to revoke.
        expect((yield* get("/user/builder-grants", yield* signed(key))).status).toBe(403)
        const revoke = (headers: Record<string, string>) =>
          Effect.map(
            call(`${restUrl}/user/builder-grants/${user.userId}`, { method: "DELETE", headers }),
            ({ status }) => status
          )
        const other = yield* venue.user("without a grant")
        expect(yield* revoke({ authorization: `Bearer ${yield* venue.token(other)}` })).toBe(404)
        expect(yield* revoke(bearer)).toBe(204)
        expect((yield* get("/user/positions", yield* signed(key))).status).toBe(401)
        expect((yield* get("/user/builder-grants", bearer)).body.data).toEqual([])
        expect(yield* revoke(bearer)).toBe(404)
      })
  )

  it.effect("B3: refuses each invalid registration with its own status, and leaves the wallet's message valid", () =>
    Effect.gen(function* () {
      const { post, signed } = yield* RestClient
      const venue = yield* TestVenue
      const { builderCode, owner, user } = yield* scene
      const text = yield* message(owner.address, builderCode)
      const good = signedBy(owner, text)
      const path = "/builder/web3/api-key"

      expect((yield* post(path, good)).status).toBe(401)
      const subaccount = yield* venue.subaccount(user, 0)
      const onSubaccount = { ...(yield* signed(user)), "x-acme-requested-account-id": subaccount }
      expect((yield* post(path, good, onSubaccount)).status).toBe(403)
      expect((yield* register(yield* venue.user("manager", 0, ["subaccount_ops"]), good)).status).toBe(403)
      expect((yield* register(yield* venue.user("codeless", 0, ["register_user"]), good)).status).toBe(403)
      yield* activated(builderCode, false)
      expect((yield* register(user, good)).body).toMatchObject({
        status: 403,
        type: expect.stringMatching(/no-active-builder-code$/)
      })
      // The builder is checked before the body.
      expect((yield* register(user, {})).status).toBe(403)
      yield* activated(builderCode, true)
      yield* (yield* Profiles).change(user.userId, { username: null })
      expect((yield* register(user, good)).status).toBe(502)
      yield* (yield* Profiles).change(user.userId, { username: `again-${builders}` })
      const bodies = [
        {},
        { message: text },
        { signature: good.signature },
        { ...good, builder_code: builderCode },
        { ...good, $schema: "x" },
        { ...good, message: 1 },
        { ...good, message: "m".repeat(63) },
        { ...good, message: "m".repeat(20_481) },
        { ...good, signature: good.signature.slice(2) },
        { ...good, signature: `${good.signature}00` }
      ]
      for (const body of bodies) expect((yield* register(user, body)).status).toBe(422)
      for (const length of [64, 20_480]) {
        expect((yield* register(user, { ...good, message: "m".repeat(length) })).status).toBe(400)
      }
      const { builderCode: other } = yield* scene
      const foreign = yield* message(owner.address, other)
      expect((yield* register(user, signedBy(owner, foreign))).status).toBe(400)
      expect((yield* register(user, good)).status).toBe(201)
    })
  )

  it.effect("B3, B5: returns the same 401 response for an untrusted, a changed and an already used message", () =>
    Effect.gen(function* () {
      const { builderCode, owner, user } = yield* scene
      const text = yield* message(owner.address, builderCode)
      const other = text.replace("app.venue.test wants", "app.evil.test wants")
      const unsigned = yield* register(user, signedBy(wallet(239), text))
      const changed = yield* register(user, signedBy(owner, other))
      expect((yield* register(user, signedBy(owner, text))).status).toBe(201)
      const reused = yield* register(user, signedBy(owner, text))
      expect([unsigned.status, wordsOf(unsigned)]).toEqual([401, wordsOf(changed)])
      expect([reused.status, wordsOf(reused)]).toEqual([401, wordsOf(changed)])
    })
  )

  it.effect("B10: uses up the nonce of the builder's signature, whether or not the wallet is registered", () =>
    Effect.gen(function* () {
      const { post, signed } = yield* RestClient
      const { builderCode, owner, user } = yield* scene
      const text = yield* message(owner.address, builderCode)
      const headers = yield* signed(user)
      expect((yield* post("/builder/web3/api-key", signedBy(wallet(239), text), headers)).status).toBe(401)
      const replayed = yield* post("/builder/web3/api-key", signedBy(owner, text), headers)
      expect([replayed.status, replayed.body.type]).toEqual([401, expect.stringMatching(/credentials-not-accepted$/)])
      expect((yield* register(user, signedBy(owner, text))).status).toBe(201)
    })
  )

  it.effect(
    "B6: replaces the builder's earlier key from the next request onwards, and keeps another builder's key",
    () =>
      Effect.gen(function* () {
        const { get, signed } = yield* RestClient
        const { builderCode, owner, user } = yield* scene
        const { builderCode: otherCode, user: otherUser } = yield* scene
        const keyOf = ({ body }: { readonly body: { user_id: string; public_key: string; secret_key: string } }) => ({
          userId: UserId.make(body.user_id),
          publicKey: body.public_key,
          secretKey: body.secret_key
        })
        const issued = (by: TestUser, code: string) =>
          Effect.flatMap(message(owner.address, code), (text) => Effect.map(register(by, signedBy(owner, text)), keyOf))
        const status = (key: TestUser) =>
          Effect.flatMap(signed(key), (headers) => Effect.map(get("/user/positions", headers), ({ status }) => status))
        const first = yield* issued(user, builderCode)
        const other = yield* issued(otherUser, otherCode)
        expect([yield* status(first), yield* status(other)]).toEqual([200, 200])
        const second = yield* issued(user, builderCode)
        expect(second.userId).toBe(first.userId)
        expect([yield* status(first), yield* status(second), yield* status(other)]).toEqual([401, 200, 200])
      })
  )

  it.effect("I46: shows a secret only in the response that issues it, without cross-origin access", () =>
    Effect.gen(function* () {
      const { builderCode, owner, user } = yield* scene
      const text = yield* message(owner.address, builderCode)
      const issued = yield* register(user, signedBy(owner, text))
      expect(issued.headers.get("access-control-allow-origin")).toBeNull()
      const again = yield* register(user, signedBy(owner, text))
      expect(again.text).not.toContain(issued.body.secret_key)
      expect(Option.isSome(yield* (yield* Users).find(issued.body.user_id))).toBe(true)
      expect(Option.isSome(yield* (yield* BuilderCodes).find(builderCode))).toBe(true)
    })
  )

  it.effect("limits a builder to sixty wallet registrations per minute, and returns the time to wait", () =>
    Effect.gen(function* () {
      const { post, signed } = yield* RestClient
      const { user } = yield* scene
      const ask = Effect.flatMap(signed(user), (headers) => post("/builder/web3/api-key", {}, headers))
      const first = yield* Effect.all(Array.from({ length: 60 }, () => ask))
      expect(first.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 422))
      // The bucket has been gaining one token per second, so more than sixty requests can succeed.
      const last = yield* Effect.repeat(ask, { until: ({ status }) => status !== 422, times: 60 })
      expect([last.status, Number(last.headers.get("retry-after")) > 0]).toEqual([429, true])
    })
  )
})
