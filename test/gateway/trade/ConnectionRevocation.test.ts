/** Tests of tokens and keys on the trade socket, and of open connections when a credential or user changes. */
import { ClientRegistration } from "@venue/auth/oauth/ClientRegistration"
import { KeyRotation } from "@venue/auth/keys/KeyRotation"
import { rules } from "@venue/auth/access/Permission"
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { accessRefusal } from "@venue/gateway/trade/AccessRefusal"
import type { Member } from "@venue/gateway/trade/Member"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Sessions } from "@venue/storage/access/Sessions"
import { layerMemory, type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { bring, enrol, type Progress, session } from "../../auth/access/Progress.ts"
import { aapl, cancel, friday, limit, market, say, told } from "../../venue/Story.ts"

/** Runs a test with a new venue and a user who is allowed to trade. */
const story = <E>(
  name: string,
  tell: (
    venue: TestVenue["Service"],
    user: TestUser
  ) => Effect.Effect<void, E, Layer.Success<typeof layerMemory> | Scope.Scope>
) =>
  it.effect(name, () =>
    Effect.andThen(
      TestClock.setTime(friday),
      Effect.gen(function* () {
        const venue = yield* TestVenue
        yield* venue.price(aapl, 200)
        const user = yield* venue.user("alice")
        yield* Effect.scoped(tell(venue, user))
      }).pipe(Effect.provide(layerMemory))
    )
  )

const send = Effect.fnUntraced(function* (params: object) {
  const client = yield* (yield* TestVenue).connect
  yield* client.send({ type: "auth", params })
  return client
})

const signIn = Effect.fnUntraced(function* (params: object) {
  const client = yield* send(params)
  yield* client.take("authenticated")
  return client
})

const refused = Effect.fnUntraced(function* (reason: string, params: object) {
  const client = yield* send(params)
  assert.strictEqual((yield* client.take("err")).err.error_code, "PermissionDenied", reason)
  yield* (yield* TestVenue).settle
  assert.deepEqual([yield* client.drain, client.closedWith()?.code], [[], 1008], reason)
})

story("opens a connection with a token on the primary account or on a subaccount", (venue, { userId }) =>
  Effect.gen(function* () {
    const user = { userId, publicKey: "", secretKey: "" }
    const accountId = yield* venue.subaccount(user, 1_000)
    const { token } = yield* session(userId)
    for (const params of [{ jwt: token }, { jwt: token, account_id: accountId }]) {
      const client = yield* signIn(params)
      yield* client.send(say("subscribe", { channels: ["order_responses"] }))
      yield* client.take("subscribed")
      yield* client.send(limit("BUY", 1, 190))
      const { order_response: order } = yield* client.take("order_response")
      assert.deepEqual([order.status, order.user_id], ["ACK", params.account_id ?? userId])
    }
  })
)

story(
  "I45: refuses an invalid token or a token for another user's account, and closes the connection",
  (venue, { userId }) =>
    Effect.gen(function* () {
      const bob = yield* venue.user("bob")
      const { sessionId, token } = yield* session(userId)
      const [head, body, signature] = token.split(".") as [string, string, string]
      yield* refused("another's account", { jwt: token, account_id: bob.userId })
      yield* refused("another signature", { jwt: [head, body, `${signature.slice(0, -4)}AAAA`].join(".") })
      yield* refused("no signature", { jwt: `${Buffer.from('{"alg":"none"}').toString("base64url")}.${body}.` })
      yield* refused("junk", { jwt: "junk" })
      yield* (yield* Sessions).end([sessionId])
      yield* refused("an ended session", { jwt: token })
    })
)

story(
  "U1: closes a session's connections when the session ends, but not those of other sessions and keys",
  (venue, alice) =>
    Effect.gen(function* () {
      const one = yield* session(alice.userId)
      const other = yield* session(alice.userId)
      const closing = yield* signIn({ jwt: one.token })
      const staying = [yield* signIn({ jwt: other.token }), yield* venue.trade(alice, [])]
      yield* (yield* Sessions).end([one.sessionId])
      yield* venue.settle
      assert.strictEqual(closing.closedWith()?.code, 1008)
      for (const client of staying) assert.isUndefined(client.closedWith())
    })
)

story(
  "closes an application's connections when an operator disables the application, but not those of other sessions",
  (venue, alice) =>
    Effect.gen(function* () {
      const registration = yield* ClientRegistration
      const operator = { actor: "operator", reason: "a test" }
      const application = { name: "A desk", redirectUris: ["https://desk.example/"], logoUri: null, clientUri: null }
      const { client } = yield* registration.register(
        { ...application, type: "public", allowLoopback: false },
        operator
      )
      const { clientId } = client
      const begun = { publicClient: true, scope: "openid", method: "oauth_provider/authorization_code" } as const
      const { accessToken } = yield* (yield* SessionTokens).begin({ userId: alice.userId, clientId, ...begun })
      const jwt = Redacted.value(accessToken)
      const closing = yield* signIn({ jwt })
      const staying = [yield* signIn({ jwt: (yield* session(alice.userId)).token }), yield* venue.trade(alice, [])]
      yield* registration.disable(clientId, operator)
      yield* venue.settle
      assert.strictEqual(closing.closedWith()?.code, 1008)
      for (const connection of staying) assert.isUndefined(connection.closedWith())
      yield* refused("a disabled application", { jwt })
    })
)

story("D2: closes a connection when its token's signing key is removed in an emergency", (venue, alice) =>
  Effect.gen(function* () {
    const rotation = yield* KeyRotation
    const operator = { actor: "operator", reason: "a test" }
    const [before] = yield* rotation.ring
    const old = yield* session(alice.userId)
    const closing = yield* signIn({ jwt: old.token })
    yield* rotation.activate(yield* rotation.standby(operator), { emergency: true }, operator)
    const staying = [yield* signIn({ jwt: (yield* session(alice.userId)).token }), yield* venue.trade(alice, [])]
    yield* venue.settle
    assert.isUndefined(closing.closedWith())
    yield* rotation.remove(before!.key.kid, { emergency: true }, operator)
    yield* venue.settle
    assert.strictEqual(closing.closedWith()?.code, 1008)
    for (const client of staying) assert.isUndefined(client.closedWith())
    yield* refused("a token of a removed key", { jwt: old.token })
  })
)

story("I40: closes a key's connections when the key is revoked, and refuses new connections", (venue, alice) =>
  Effect.gen(function* () {
    const { token } = yield* session(alice.userId)
    const closing = yield* venue.trade(alice)
    const staying = yield* signIn({ jwt: token })
    yield* (yield* ApiKeys).revoke(alice.userId, alice.publicKey)
    assert.strictEqual(closing.closedWith()?.code, 1008)
    assert.isUndefined(staying.closedWith())
    yield* refused("the revoked key", { hmac: yield* venue.sign(alice) })
  })
)

story("closes a key's connections when its permissions change, and accepts new connections", (venue, alice) =>
  Effect.gen(function* () {
    const closing = yield* venue.trade(alice, [])
    yield* (yield* ApiKeys).setPermission(alice.publicKey, "execute_orders", false)
    yield* venue.settle
    assert.strictEqual(closing.closedWith()?.code, 1008)
    const client = yield* venue.trade(alice, [])
    yield* client.send(limit("BUY", 1, 190))
    assert.strictEqual((yield* client.take("err")).err.error_code, "PermissionDenied")
  })
)

story("refuses a key that is revoked during its sign-in", (venue) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const alice = yield* venue.user("new", 0)
    const client = yield* venue.connect
    yield* client.sendAll([{ type: "auth", params: { hmac: yield* venue.sign(alice) } }, market("BUY", 1)])
    // The sign-in waits until the trader is loaded.
    assert.deepEqual(yield* client.drain, [])
    yield* keys.revoke(alice.userId, alice.publicKey)
    yield* venue.settle
    assert.strictEqual(client.closedWith()?.code, 1008)
    assert.notInclude(told(yield* client.drain), "type")
  })
)

story("closes a frozen user's connections, and refuses new connections until the user is unfrozen", (venue, alice) =>
  Effect.gen(function* () {
    const { token } = yield* session(alice.userId)
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    const open = [yield* venue.trade(alice), yield* signIn({ jwt: token })]
    yield* bring(alice.userId, "frozen")
    yield* venue.settle
    for (const client of open) assert.strictEqual(client.closedWith()?.code, 1008)
    assert.isUndefined(bob.closedWith())
    yield* refused("a frozen user's key", { hmac: yield* venue.sign(alice) })
    yield* refused("a frozen user's token", { jwt: token })
    yield* bring(alice.userId, "onboarded")
    yield* venue.trade(alice, [])
  })
)

const gated = [
  limit("BUY", 1, 190),
  market("BUY", 1),
  say("modify_order", { symbol: aapl, order_id: "x", side: "BUY", order_type: "LIMIT", price: 1, reduce_only: false }),
  say("close_position", { symbol: aapl }),
  { ...limit("BUY", 1, 190), type: "preview_order" },
  say("set_user_leverage", { symbol: aapl, leverage: 2 })
]

for (const [progress, code] of [
  ["unverified", "KycRequired"],
  ["without_terms", "TncRequired"]
] as const satisfies ReadonlyArray<readonly [Progress, string]>) {
  story(
    `I47: refuses trading on an open connection with ${code} after the user's onboarding status changes to ${progress}`,
    (venue, alice) =>
      Effect.gen(function* () {
        const client = yield* venue.trade(alice)
        yield* client.send(limit("BUY", 1, 190))
        const { order_response: order } = yield* client.take("order_response")
        yield* bring(alice.userId, progress)
        yield* venue.settle
        for (const message of gated) {
          yield* client.send(message)
          const { err } = yield* client.take("err")
          assert.deepEqual([err.error_code, err.incoming_message], [code, message])
        }
        yield* client.send(say("get_user_orders"))
        const { all_orders_response: open } = yield* client.take("all_orders_response")
        assert.deepEqual(
          open.orders.map(({ order_id }) => order_id),
          [order.order_id]
        )
        yield* client.send(cancel(order.order_id))
        assert.strictEqual((yield* client.take("order_response")).order_response.status, "CANCELLED")
        yield* bring(alice.userId, "onboarded")
        yield* venue.settle
        yield* client.send(limit("BUY", 1, 190))
        assert.strictEqual((yield* client.take("order_response")).order_response.status, "ACK")
      })
  )
}

story("M1: closes single-factor sessions' connections when the user enrols a second factor", (venue, alice) =>
  Effect.gen(function* () {
    const { token } = yield* session(alice.userId)
    const strong = yield* session(alice.userId, "aal2")
    const weak = yield* signIn({ jwt: token })
    const staying = [yield* venue.trade(alice), yield* signIn({ jwt: strong.token })]
    yield* enrol(alice.userId)
    yield* venue.settle
    assert.strictEqual(weak.closedWith()?.code, 1008)
    for (const client of staying) assert.isUndefined(client.closedWith())
    yield* refused("a single-factor token", { jwt: token })
  })
)

it("I47: names the blocked region in the refusal of an order, and allows cancels", () => {
  const blocked: Member = {
    caller: {
      userId: UserId.make("u"),
      permissions: new Set(["execute_orders"]),
      scope: "all_accounts",
      via: "jwt",
      publicKey: null,
      sessionId: "s",
      kid: "k",
      aal: "aal1",
      clientId: null
    },
    accountId: AccountId.make("u"),
    builderCode: "",
    eligibility: { canTrade: false, canFund: false, missing: ["region"] }
  }
  assert.deepEqual(accessRefusal(blocked, "add_order"), [
    "PermissionDenied",
    "the user is not allowed to do this yet: region: the venue does not serve the country of your verified identity or of your connection; ask the operator"
  ])
  assert.isUndefined(accessRefusal(blocked, "cancel_all_orders"))
})

it("I47: the tests of this file cover every trading command", () => {
  const trading = Object.entries(rules).flatMap(([action, { needs }]) => (needs === "trade" ? [action] : []))
  const offered = trading.filter(
    (action) => !action.includes(" ") && !["add_twap", "modify_stop_order"].includes(action)
  )
  assert.sameMembers(offered, [...new Set(gated.map(({ type }) => type))])
})
