/**
 * Requests that provoke each documented status of each endpoint. For a new endpoint or a new failure, add one line: a request
 * of `Scene.ts` under the name of the endpoint and the expected status.
 *
 * ```ts
 * "GET /user/things/{id}": {
 *   200: byKey("GET", "/user/things/1"),     // or `inPerson` with a session, or `withoutCredentials`
 *   404: byKey("GET", "/user/things/nothing")
 * }
 * ```
 *
 * `CommonProvocations.ts` covers 400 for bodies, 401, 403, 413, 415 and 422 at all endpoints, and `Contract.test.ts` covers 429,
 * 503 and 504. At a public endpoint, 503 is provoked by the request for 200 without a database.
 */
import { Onboarding } from "@venue/auth/access/Onboarding"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { IdentityUnavailable } from "@venue/providers/Identity"
import { InvitationCodes } from "@venue/storage/access/InvitationCodes"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { UserStates } from "@venue/storage/access/UserStates"
import type { TestUser } from "@venue/testing/TestVenue"
import { Effect, Redacted } from "effect"
import { sockets } from "../RestClient.ts"
import { activeBuilder, registration } from "./Builders.ts"
import {
  withoutCredentials,
  at,
  byKey,
  byKeyOf,
  inPerson,
  inPersonOf,
  newcomer,
  type Provocation,
  Scene
} from "./Scene.ts"

const nobody = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
const shares = { acme_fee_share_bps: 5_000, builder_fee_share_bps: 3_000 }

export const provocations: Readonly<Record<string, Readonly<Record<number, Provocation>>>> = {
  "GET /refdata": { 200: withoutCredentials("GET", "/refdata") },
  "GET /symbols/metrics": { 200: withoutCredentials("GET", "/symbols/metrics") },
  "GET /fees": { 200: withoutCredentials("GET", "/fees") },
  "GET /md/contracts": {
    200: withoutCredentials("GET", "/md/contracts"),
    400: withoutCredentials("GET", "/md/contracts?symbol=NOPE-USD")
  },
  "GET /md/orderbook/{symbol}": {
    200: withoutCredentials("GET", "/md/orderbook/GOLD-USD"),
    404: withoutCredentials("GET", "/md/orderbook/NOPE-USD")
  },
  "GET /settlement-calendar": {
    200: withoutCredentials("GET", "/settlement-calendar?symbol=CL-USD"),
    404: withoutCredentials("GET", "/settlement-calendar?symbol=GOLD-USD")
  },
  "GET /settlement-prices": {
    200: withoutCredentials("GET", "/settlement-prices?symbol=CL-USD"),
    400: withoutCredentials("GET", "/settlement-prices?symbol=NOPE-USD")
  },
  "GET /candles/{symbol}": chart("candles", "resolution=1HOUR", "resolution=2HOURS"),
  "GET /underlier/{symbol}": chart("underlier", "interval=1h", "interval=7h"),
  "GET /funding/{symbol}": chart("funding", "intervalMinutes=60", "intervalMinutes=61"),
  "GET /open-interest/{symbol}": chart("open-interest", "intervalMinutes=60", "intervalMinutes=61"),
  "GET /taker-volume/{symbol}": chart("taker-volume", "intervalMinutes=60", "intervalMinutes=61"),
  "GET /symbol-long-short/{symbol}": chart("symbol-long-short", "interval=1h", "interval=7h"),
  "GET /health/live": { 200: withoutCredentials("GET", "/health/live") },
  "GET /health/ready": { 200: withoutCredentials("GET", "/health/ready") },

  "GET /user/positions": { 200: byKey("GET", "/user/positions") },
  "GET /user/trade": { 200: byKey("GET", "/user/trade"), 400: byKey("GET", "/user/trade?symbol=NOPE-USD") },
  "GET /trades-csv": { 200: byKey("GET", "/trades-csv") },
  "GET /user/historic-orders": {
    200: byKey("GET", "/user/historic-orders"),
    400: byKey("GET", "/user/historic-orders?symbol=NOPE-USD")
  },
  "GET /historic-orders-csv": { 200: byKey("GET", "/historic-orders-csv") },
  "GET /user/historic-twaps": {
    200: byKey("GET", "/user/historic-twaps"),
    400: byKey("GET", "/user/historic-twaps?symbol=NOPE-USD")
  },
  "GET /historic-twaps-csv": {
    200: byKey("GET", "/historic-twaps-csv"),
    400: byKey("GET", "/historic-twaps-csv?symbol=NOPE-USD")
  },
  "GET /user/historic-pnl": {
    200: byKey("GET", "/user/historic-pnl?unit=percent&symbol=GOLD-USD"),
    400: byKey("GET", "/user/historic-pnl?symbol=NOPE-USD")
  },
  "GET /pnl": { 200: byKey("GET", "/pnl"), 400: byKey("GET", "/pnl?symbol=NOPE-USD") },
  "GET /user/account-equity": { 200: byKey("GET", "/user/account-equity?duration=all") },
  "GET /user/volume": { 200: byKey("GET", "/user/volume"), 400: byKey("GET", "/user/volume?symbol=NOPE-USD") },
  "GET /user/fees": { 200: byKey("GET", "/user/fees") },
  "GET /public/accounts/{account_id}/positions": {
    200: Effect.gen(function* () {
      const { trader } = yield* Scene
      yield* inPerson("PATCH", "/user/profile", { is_public: true })
      return yield* withoutCredentials("GET", `/public/accounts/${trader.userId}/positions`)
    }),
    404: withoutCredentials("GET", "/public/accounts/00000000-0000-4000-8000-ffffffffffff/positions")
  },
  "GET /public/leaderboard": { 200: withoutCredentials("GET", "/public/leaderboard?duration=1m&sort=percent") },
  "GET /user/builder-grants": { 200: inPerson("GET", "/user/builder-grants") },
  "DELETE /user/builder-grants/{builder_id}": {
    204: granted(),
    404: inPerson("DELETE", "/user/builder-grants/00000000-0000-4000-8000-ffffffffffff")
  },
  "GET /defillama/metrics": {
    200: withoutCredentials(
      "GET",
      "/defillama/metrics?fromISO=2026-01-01T00:00:00Z&toISO=2026-01-03T00:00:00Z&intervalMinutes=1440"
    ),
    400: withoutCredentials(
      "GET",
      "/defillama/metrics?fromISO=2026-01-01T00:00:00Z&toISO=2026-01-03T00:00:00Z&intervalMinutes=7"
    )
  },
  "GET /public/trades": {
    200: withoutCredentials("GET", "/public/trades"),
    400: withoutCredentials("GET", "/public/trades?offset=10001")
  },
  "GET /public/account/{account_id}/trades": {
    200: Effect.gen(function* () {
      const { trader } = yield* Scene
      yield* inPerson("PATCH", "/user/profile", { is_public: true })
      return yield* withoutCredentials("GET", `/public/account/${trader.userId}/trades`)
    }),
    400: Effect.gen(function* () {
      const { trader } = yield* Scene
      yield* inPerson("PATCH", "/user/profile", { is_public: true })
      return yield* withoutCredentials("GET", `/public/account/${trader.userId}/trades?symbol=NOPE-USD`)
    }),
    404: withoutCredentials("GET", "/public/account/00000000-0000-4000-8000-ffffffffffff/trades")
  },
  "GET /user/subaccounts": { 200: byKey("GET", "/user/subaccounts") },
  "POST /user/subaccounts": {
    200: byKey("POST", "/user/subaccounts", {}),
    409: Effect.gen(function* () {
      const hoarder = yield* newcomer("hoarder of accounts")
      return yield* Effect.repeat(byKeyOf(hoarder, "POST", "/user/subaccounts", {}), {
        until: ({ status }) => status !== 200,
        times: 30
      })
    })
  },
  "GET /user/subaccounts/balance": { 200: byKey("GET", "/user/subaccounts/balance") },
  "GET /user/subaccounts/equity": { 200: byKey("GET", "/user/subaccounts/equity") },
  "GET /user/public-accounts": { 200: byKey("GET", "/user/public-accounts") },
  "POST /user/transfer": {
    204: Effect.gen(function* () {
      const { body } = yield* byKey("POST", "/user/subaccounts", {})
      return yield* transfer(body.account_id)
    }),
    400: Effect.flatMap(Scene, ({ trader }) => transfer(trader.userId))
  },
  "POST /user/invitation-codes/job": { 200: byKey("POST", "/user/invitation-codes/job", {}) },
  "GET /user/invitation-codes": { 200: byKey("GET", "/user/invitation-codes") },
  "GET /user/referrals/notional-volume": { 200: byKey("GET", "/user/referrals/notional-volume") },
  "GET /user/referral-rewards": { 200: byKey("GET", "/user/referral-rewards") },
  "POST /user/invitation-codes/redeem": {
    200: Effect.flatMap(newcomer("guest"), (guest) => redeem(guest, "1111111111")),
    404: Effect.flatMap(newcomer("stranger"), (stranger) => redeem(stranger, "0000000000")),
    409: Effect.flatMap(Scene, ({ trader }) => redeem(trader, "2222222222"))
  },
  "POST /user/leverage": {
    200: leverage("EUR-USD", 5),
    400: leverage("EUR-USD", 1_000),
    404: leverage("NOPE-USD", 5),
    409: leverage("GOLD-USD", 5)
  },
  "POST /user/orders/preview": {
    200: byKey("POST", "/user/orders/preview", {
      symbol: "GOLD-USD",
      side: "BUY",
      order_type: "LIMIT",
      order_time_in_force: "GTC",
      quantity: 1,
      price: 3_300
    })
  },

  "GET /user/onboarding": { 200: byKey("GET", "/user/onboarding") },
  "POST /user/terms": {
    204: inPerson("POST", "/user/terms", { terms_version: "1" }),
    409: inPerson("POST", "/user/terms", { terms_version: "0" })
  },
  "POST /user/verification": {
    201: unverified("POST", "/user/verification", {}),
    409: inPerson("POST", "/user/verification", {}),
    502: withoutProvider(unverified("POST", "/user/verification", {}))
  },
  "GET /user/profile": { 200: inPerson("GET", "/user/profile") },
  "PATCH /user/profile": {
    200: inPerson("PATCH", "/user/profile", { username: "trader", is_public: true }),
    409: Effect.gen(function* () {
      yield* inPersonOf(yield* newcomer("first"), "PATCH", "/user/profile", { username: "taken" })
      return yield* inPerson("PATCH", "/user/profile", { username: "taken" })
    })
  },

  "GET /user/api-keys": { 200: inPerson("GET", "/user/api-keys") },
  "POST /user/api-keys": {
    201: inPerson("POST", "/user/api-keys", key("made")),
    409: Effect.gen(function* () {
      const hoarder = yield* newcomer("hoarder")
      return yield* Effect.repeat(inPersonOf(hoarder, "POST", "/user/api-keys", key("one of many")), {
        until: ({ status }) => status !== 201,
        times: 60
      })
    })
  },
  "PATCH /user/api-keys/{public_key}": ofKey(204, "PATCH", "", { label: "renamed" }),
  "DELETE /user/api-keys/{public_key}": ofKey(204, "DELETE", ""),
  "POST /user/api-keys/{public_key}/rotate": ofKey(201, "POST", "/rotate"),

  "GET /user/builder-code": {
    200: Effect.gen(function* () {
      const { user } = yield* activeBuilder("reading-builder")
      return yield* byKeyOf(user, "GET", "/user/builder-code")
    }),
    404: byKey("GET", "/user/builder-code")
  },
  "POST /user/builder-code": {
    201: Effect.flatMap(newcomer("builder"), (user) => byKeyOf(user, "POST", "/user/builder-code", shares)),
    409: Effect.gen(function* () {
      const { user } = yield* activeBuilder("second-builder")
      return yield* byKeyOf(user, "POST", "/user/builder-code", shares)
    })
  },
  "GET /builder/web3/message": {
    200: withoutCredentials(
      "GET",
      `/builder/web3/message?address=${nobody}&builder_code=00000000-0000-4000-8000-000000000000`
    ),
    400: withoutCredentials("GET", `/builder/web3/message?address=${nobody}&builder_code=x`)
  },
  "POST /builder/web3/api-key": {
    201: registration((signed) => signed),
    400: registration((signed) => ({ ...signed, message: "No message of ours.".padEnd(64, ".") })),
    401: registration((signed) => ({ ...signed, signature: `0x${"0".repeat(130)}` })),
    422: registration(() => []),
    502: Effect.gen(function* () {
      const { user } = yield* activeBuilder(undefined)
      return yield* byKeyOf(user, "POST", "/builder/web3/api-key", {})
    })
  }
}

function chart(name: string, offered: string, strange: string) {
  const range = "fromISO=2026-01-01T00:00:00Z&toISO=2100-01-01T00:00:00Z"
  return {
    200: withoutCredentials("GET", `/${name}/GOLD-USD?${offered}&${range}`),
    400: withoutCredentials("GET", `/${name}/GOLD-USD?${strange}&${range}`),
    404: withoutCredentials("GET", `/${name}/NOPE-USD?${offered}&${range}`)
  }
}

/** Issues a key for the trader to a builder, and revokes the key in the trader's session. */
function granted(): Provocation {
  return Effect.gen(function* () {
    const { trader } = yield* Scene
    const builder = yield* newcomer("holder of a key")
    yield* (yield* ApiKeys).replaceBuilderKey({
      userId: trader.userId,
      builderUserId: builder.userId,
      label: "builder-holder",
      publicKey: `svc_test_pub_${builder.userId}`,
      secret: Redacted.make("a secret of a test")
    })
    return yield* inPerson("DELETE", `/user/builder-grants/${builder.userId}`)
  }).pipe(Effect.orDie)
}

/** Transfers money from the trader's primary account. */
function transfer(to: string): Provocation {
  return Effect.gen(function* () {
    const { trader } = yield* Scene
    const accounts = `src_account_id=${trader.userId}&dst_account_id=${to}`
    return yield* byKey("POST", `/user/transfer?${accounts}`, { amount: 1 })
  })
}

/** Redeems a code of a user who has issued two. */
function redeem(user: TestUser, code: string): Provocation {
  return Effect.gen(function* () {
    const { powerless } = yield* Scene
    yield* (yield* InvitationCodes).issue(powerless.userId, ["1111111111", "2222222222"])
    return yield* inPersonOf(user, "POST", "/user/invitation-codes/redeem", { code })
  })
}

function leverage(symbol: string, value: number) {
  return byKey("POST", "/user/leverage", { symbol, leverage: value })
}

function key(label: string) {
  return { label, permissions: ["view_orders"], scope: "all_accounts" }
}

/** Provocations that use a key created just before (status `done`) and an unknown key (404). */
function ofKey(done: number, method: string, suffix: string, body?: unknown) {
  return {
    [done]: Effect.gen(function* () {
      const { body: made } = yield* inPerson("POST", "/user/api-keys", key("of a moment"))
      return yield* inPerson(method, `/user/api-keys/${made.public_key}${suffix}`, body)
    }),
    404: inPerson(method, `/user/api-keys/nothing${suffix}`, body)
  }
}

function unverified(method: string, path: string, body: unknown): Provocation {
  return Effect.gen(function* () {
    const user = yield* newcomer("unverified")
    yield* (yield* UserStates).setIdentity(user.userId, "none")
    return yield* inPersonOf(user, method, path, body)
  })
}

/** Sends the same request while the identity provider does not respond. */
function withoutProvider(self: Provocation): Provocation {
  const fails = () => Effect.fail(new IdentityUnavailable({ cause: "a test" }))
  return Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* RestServer.open({ host: "127.0.0.1", port: 0, brand: "acme", sockets }).pipe(
        Effect.updateService(Onboarding, (onboarding) => ({ ...onboarding, beginVerification: fails }))
      )
      return yield* at(url, self)
    })
  )
}
