/** Test that searches every output for secrets of API keys, tokens and builders' keys. */
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import * as SimulatedSerialization from "@venue/testing/SimulatedSerialization"
import * as Runner from "@venue/cluster/Runner"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { Health } from "@venue/gateway/http/Health"
import { History } from "@venue/gateway/History"
import { Figures } from "@venue/gateway/marketData/Figures"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import * as AccessTables from "@venue/storage/access/AccessTables"
import * as AlarmTables from "@venue/storage/alarms/AlarmTables"
import { Journal } from "@venue/journal/Journal"
import { Profiles } from "@venue/storage/access/Profiles"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Listings } from "@venue/storage/listing/Listings"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import * as TreasuryTables from "@venue/storage/treasury/TreasuryTables"
import { Seal } from "@venue/postgres/Seal"
import * as TestAccess from "@venue/testing/TestAccess"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schedule } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SqlClient } from "effect/sql"
import { WebSocket } from "ws"
import { wallet } from "../../auth/wallet/Wallets.ts"
import * as Observed from "../../Observed.ts"
import { dump, postgresLayer } from "../../Postgres.ts"
import { adminToken, type Answer, ask as askRest, layerOver, RestClient } from "./RestClient.ts"

const observed = Observed.make()
const sealKey = "the secret key of this test, of any characters"

const symbols = ["AAPL-USD", "GOLD-USD"]
const settings = {
  ...defaults,
  desks: 2,
  rateLimits: false,
  instruments: new Map(
    symbols.map((name) => {
      const symbol = MarketSymbol.make(name)
      return [symbol, defaults.instruments.get(symbol)!] as const
    })
  )
}

const layer = layerOver.pipe(
  Layer.provideMerge(TestVenue.layer),
  Layer.provideMerge(Layer.mergeAll(TradeGateway.layer, MarketDataGateway.layer, Figures.layer)),
  Layer.provideMerge(History.layer),
  Layer.provideMerge(Runner.layer),
  Layer.provideMerge(SimulatedSerialization.layerAlone),
  Layer.provideMerge(TestAccess.layer),
  Layer.provideMerge(SigningKeys.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      AccessTables.layer,
      AlarmTables.layer,
      TreasuryTables.layer,
      Journal.layer,
      ReadTables.layer,
      FuturesReference.layer,
      Listings.layer
    )
  ),
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provideMerge(Seal.layer(Redacted.make(sealKey))),
  Layer.provideMerge(postgresLayer),
  Layer.provideMerge(Layer.succeed(VenueSettings)(settings)),
  Layer.provideMerge(observed.layer)
)

interface Key {
  readonly public_key: string
  readonly secret_key: string
}

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("secrets of the REST interface", (it) => {
  const answers: Array<Answer> = []
  const frames: Array<string> = []
  /** Secrets by name, each with its text and the response that issued it. */
  const secrets = new Map<string, readonly [text: string, issuedBy?: Answer]>()
  const keep = (name: string, text: string, issuedBy?: Answer) =>
    void secrets.set(name, issuedBy === undefined ? [text] : [text, issuedBy])

  const ask = (...question: Parameters<typeof askRest>) =>
    Effect.tap(askRest(...question), (answer) => Effect.sync(() => answers.push(answer)))

  const signed = Effect.fnUntraced(function* (name: string, { public_key, secret_key }: Key) {
    const user = { userId: UserId.make(""), publicKey: public_key, secretKey: secret_key }
    const headers = yield* (yield* RestClient).signed(user)
    keep(`${name}, signed`, headers["x-svc-hmac-signature"]!)
    return headers
  })

  /** Returns the credential of an `auth` message. */
  const hmac = Effect.fnUntraced(function* (name: string, { public_key, secret_key }: Key) {
    const part = yield* (yield* TestVenue).sign({
      userId: UserId.make(""),
      publicKey: public_key,
      secretKey: secret_key
    })
    keep(`${name}, signed for a socket`, part.signature)
    return { hmac: part }
  })

  /** Authenticates on a new socket and returns the response. */
  const authenticate = (url: string, params: object) =>
    Effect.callback<string>((resume) => {
      const socket = new WebSocket(url)
      let text = ""
      socket.on("open", () => socket.send(JSON.stringify({ type: "auth", params })))
      socket.on("message", (frame) => {
        text += String(frame)
        socket.close()
      })
      socket.on("close", (code, reason) => resume(Effect.succeed(`${text} ${code} ${String(reason)}`)))
      return Effect.sync(() => socket.terminate())
    }).pipe(Effect.tap((text) => Effect.sync(() => frames.push(text))))

  const listening = Effect.gen(function* () {
    const trade = yield* TradeGateway
    const health = yield* Health
    const { restUrl } = yield* RestClient
    const { port } = yield* Socket.listen({
      what: "the trade socket",
      host: "127.0.0.1",
      port: 0,
      budget: SocketBudget.make({ limits: false, nowMillis: () => 0 }).trade,
      restUrl,
      addressOf: () => "",
      accept: (transport) => trade.open(transport, ""),
      answer: health.answer(restUrl)
    })
    return `ws://127.0.0.1:${port}`
  })

  /** Returns a session's tokens as the authentication service would issue them. */
  const token = Effect.fnUntraced(function* (name: string, userId: UserId) {
    const begun = { userId, clientId: null, publicClient: false, scope: null, method: "web3" } as const
    const { accessToken, refreshToken } = yield* (yield* SessionTokens).begin(begun)
    keep(`${name}, access token`, Redacted.value(accessToken))
    keep(`${name}, end of the access token`, Redacted.value(accessToken).split(".")[2]!)
    keep(`${name}, refresh token`, Redacted.value(refreshToken))
    return Redacted.value(accessToken)
  })

  const withoutTable = <A, E, R>(table: string, work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table ${sql(table)} rename to hidden`
      const result = yield* work
      yield* sql`alter table hidden rename to ${sql(table)}`
      return result
    })

  it.effect("I46: writes no secret to a log line, span, refusal, header or table", () =>
    Effect.gen(function* () {
      const { admin, get } = yield* RestClient
      const venue = yield* TestVenue
      const socketUrl = yield* listening
      yield* Effect.repeat(get("/health/ready"), {
        until: ({ status }) => status === 200,
        schedule: Schedule.spaced("20 millis")
      })
      const alice = yield* venue.user("alice", 0)
      const jwt = yield* token("alice", alice.userId)
      const bearer = { authorization: `Bearer ${jwt}` }
      const newKey = { label: "bot", permissions: ["view_orders", "view_positions"], scope: "all_accounts" }

      // Creates and rotates keys, and uses them with valid and invalid signatures.
      const made = yield* ask("POST", "/user/api-keys", bearer, newKey)
      keep("key", made.body.secret_key, made)
      const first: Key = made.body
      const unspent = yield* signed("key", first)
      expect((yield* ask("GET", "/user/positions", unspent)).status).toBe(200)
      expect((yield* ask("GET", "/user/positions", unspent)).status).toBe(401)
      expect((yield* ask("GET", "/user/subaccounts", yield* signed("key without permission", first))).status).toBe(403)
      expect(yield* authenticate(socketUrl, yield* hmac("key", first))).toContain("authenticated")
      const rotated = yield* ask("POST", `/user/api-keys/${first.public_key}/rotate`, bearer)
      keep("rotated key", rotated.body.secret_key, rotated)
      const second: Key = rotated.body
      expect((yield* ask("GET", "/user/positions", yield* signed("rotated key", second))).status).toBe(200)
      expect((yield* ask("GET", "/user/positions", yield* signed("key before", first))).status).toBe(401)
      expect(yield* authenticate(socketUrl, yield* hmac("key before", first))).toContain("PermissionDenied")
      const wrong = { public_key: second.public_key, secret_key: first.secret_key }
      expect((yield* ask("GET", "/user/positions", yield* signed("wrong secret", wrong))).status).toBe(401)
      expect((yield* ask("POST", "/user/api-keys", bearer, { ...newKey, secret_key: second.secret_key })).status).toBe(
        422
      )

      // Sends tokens, also in the URL, where some clients put them.
      const inAddress = `${socketUrl}/?jwt=${jwt}&api_key=${second.secret_key}`
      expect(yield* authenticate(inAddress, { jwt })).toContain("authenticated")
      expect((yield* get(`/user/positions?jwt=${jwt}`)).status).toBe(401)
      const forged = `${jwt.slice(0, -8)}AAAAAAAA`
      keep("forged token", forged)
      expect(yield* authenticate(socketUrl, { jwt: forged })).toContain("PermissionDenied")
      expect((yield* ask("GET", "/user/positions", { authorization: `Bearer ${forged}` })).status).toBe(401)

      // Registers a wallet by a builder.
      const builder = yield* venue.user("builder", 0, ["register_user"])
      const builderKey: Key = { public_key: builder.publicKey, secret_key: builder.secretKey }
      keep("builder's own key", builder.secretKey)
      yield* (yield* Profiles).change(builder.userId, { username: "builder-of-secrets" })
      const shares = { svc_fee_share_bps: 5_000, builder_fee_share_bps: 3_000 }
      const code = yield* ask("POST", "/user/builder-code", yield* signed("builder code", builderKey), shares)
      const { builder_code } = code.body
      expect((yield* admin("POST", "/builder-codes/activate", { builder_code, reason: "a test" })).status).toBe(204)
      keep("operator's token", adminToken)
      const owner = wallet(77)
      const messageOf = Effect.fnUntraced(function* (name: string) {
        const answer = yield* ask(
          "GET",
          `/builder/web3/message?address=${owner.address}&builder_code=${builder_code}`,
          {}
        )
        const message: string = answer.body.message
        keep(`${name}, nonce`, /^Nonce: (\w+)$/m.exec(message)![1]!, answer)
        return message
      })
      const register = Effect.fnUntraced(function* (name: string, message: string, by = owner) {
        const signature = by.sign(message)
        keep(`${name}, wallet's signature`, signature.slice(2))
        const headers = yield* signed(name, builderKey)
        return yield* ask("POST", "/builder/web3/api-key", headers, { message, signature })
      })
      const message = yield* messageOf("registration")
      expect((yield* register("stranger", message, wallet(78))).status).toBe(401)
      expect((yield* register("malformed", `${message} `)).status).toBe(400)
      const registered = yield* register("registration", message)
      keep("wallet's key", registered.body.secret_key, registered)
      expect((yield* register("registration again", message)).status).toBe(401)
      expect((yield* ask("GET", "/user/positions", yield* signed("wallet's key", registered.body))).status).toBe(200)
      expect(yield* authenticate(socketUrl, yield* hmac("wallet's key", registered.body))).toContain("authenticated")

      // Makes the database fail during each of these requests.
      const failures = yield* withoutTable(
        "audit",
        Effect.all([
          ask("POST", "/user/api-keys", bearer, newKey),
          ask("POST", `/user/api-keys/${second.public_key}/rotate`, bearer),
          Effect.flatMap(messageOf("failing"), (failing) => register("failing", failing))
        ])
      )
      const unheard = yield* token("unheard", alice.userId)
      const unseen = yield* ask("POST", "/user/api-keys", bearer, newKey)
      keep("unseen key", unseen.body.secret_key, unseen)
      const asUnheard = { authorization: `Bearer ${unheard}` }
      const asUnseen = yield* signed("unseen key", unseen.body)
      const cutOff = [
        yield* withoutTable("session", ask("GET", "/user/positions", asUnheard)),
        yield* withoutTable("api_key", ask("GET", "/user/positions", asUnseen))
      ]
      const silent = [
        yield* withoutTable("session", authenticate(socketUrl, { jwt: yield* token("cut off", alice.userId) })),
        yield* withoutTable("api_key", authenticate(socketUrl, yield* hmac("cut off", unseen.body)))
      ]
      expect([...failures, ...cutOff].map(({ status }) => status)).toEqual([504, 504, 502, 503, 503])
      for (const text of silent) expect(text).not.toContain("authenticated")

      // The searched output is not empty.
      const log = observed.log()
      const traced = observed.traced()
      const stored = yield* dump
      expect(log).toContain("a sign-in was refused")
      expect(log).toContain("a wallet message was refused")
      for (const text of ["Bearers.verify", "InvalidToken", "SqlError"]) expect(traced).toContain(text)
      expect(stored).toContain(second.public_key)
      expect(stored).toContain(registered.body.public_key)
      const elsewhere = Object.entries({ log, traced, stored, frames: frames.join("\n") })
      for (const [name, [text, issuedBy]] of [...secrets, ["key that seals", [sealKey]] as const]) {
        expect([name, text.length]).toEqual([name, Math.max(text.length, 20)])
        const bytes = Buffer.from(text)
        const forms = [text, bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")]
        const isIn = (where: string) => forms.some((form) => where.includes(form))
        expect([name, elsewhere.filter(([, where]) => isIn(where)).map(([place]) => place)]).toEqual([name, []])
        for (const answer of answers) {
          const headerText = JSON.stringify([...answer.headers])
          expect([name, answer.status, isIn(answer === issuedBy ? headerText : headerText + answer.text)]).toEqual([
            name,
            answer.status,
            false
          ])
        }
        expect([name, issuedBy === undefined || issuedBy.text.includes(text)]).toEqual([name, true])
        expect([name, issuedBy?.headers.get("cache-control") ?? "no-store"]).toEqual([name, "no-store"])
      }
      expect(log + traced + stored).not.toMatch(/_secret_[0-9a-f]|vrt_[\w-]|eyJ[\w-]+\.eyJ|0x[0-9a-f]{130}/)
    })
  )
})
