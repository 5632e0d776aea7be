/** Tests of subaccounts and transfers over REST, and of repeated requests with an idempotency key. */
import { AccountId } from "@venue/domain/AccountId"
import { Selectable } from "@venue/domain/Permission"
import { Audit } from "@venue/storage/access/Audit"
import { Profiles } from "@venue/storage/access/Profiles"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { adminToken, ask, call, layer, layerCutOff, RestClient } from "./RestClient.ts"

const post = Effect.fnUntraced(function* (user: TestUser, path: string, body?: unknown, key?: string) {
  const { signed } = yield* RestClient
  const headers = { ...(yield* signed(user)), ...(key === undefined ? {} : { "idempotency-key": key }) }
  return yield* ask("POST", path, headers, body)
})
const get = Effect.fnUntraced(function* (user: TestUser, path: string, headers: Record<string, string> = {}) {
  const { signed } = yield* RestClient
  return yield* ask("GET", path, { ...(yield* signed(user)), ...headers })
})
const between = (from: string, to: string) => `/user/transfer?src_account_id=${from}&dst_account_id=${to}`
const open = Effect.fnUntraced(function* (user: TestUser) {
  const { body } = yield* post(user, "/user/subaccounts", {})
  return AccountId.make(body.account_id)
})
type Listed = { readonly account_id: string }
const byId = (a: Listed, b: Listed) => (a.account_id < b.account_id ? -1 : 1)

/** Returns the available balance of each account, with the primary account first. */
const available = Effect.fnUntraced(function* (user: TestUser) {
  const { body } = yield* get(user, "/user/subaccounts/balance")
  return body.accounts.map((account: { readonly available_balance: number }) => account.available_balance)
})

it.effect("opens a subaccount that can trade immediately, with or without a request body", () =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const user = yield* venue.user("owner", 5_000)
    const first = yield* post(user, "/user/subaccounts")
    expect([first.status, Object.keys(first.body).toSorted()]).toEqual([200, ["$schema", "account_id"]])
    const second = yield* open(user)
    expect((yield* get(user, "/user/subaccounts")).body.account_ids.toSorted()).toEqual(
      [first.body.account_id, second].toSorted()
    )
    const { body } = yield* get(user, "/user/subaccounts/balance")
    expect(body.accounts).toEqual([
      { account_id: user.userId, available_balance: 5_000, equity: 5_000, is_master: true },
      { account_id: first.body.account_id, available_balance: 0, equity: 0, is_master: false },
      { account_id: second, available_balance: 0, equity: 0, is_master: false }
    ])
    expect((yield* get(user, "/user/subaccounts/equity")).body).toEqual(body)
    const ownAccounts = Effect.map(get(user, "/user/public-accounts"), (answer) => answer.body.accounts)
    const accountsWith = (is_public: boolean) => [
      { account_id: user.userId, is_master: true, is_public },
      { account_id: first.body.account_id, is_master: false, is_public },
      { account_id: second, is_master: false, is_public }
    ]
    const byDefault = yield* ownAccounts
    expect(byDefault[0].is_master).toBe(true)
    expect(byDefault.toSorted(byId)).toEqual(accountsWith(false).toSorted(byId))
    yield* (yield* Profiles).change(user.userId, { isPublic: true })
    expect((yield* ownAccounts).toSorted(byId)).toEqual(accountsWith(true).toSorted(byId))
    const sub = { "x-svc-requested-account-id": second }
    expect((yield* get(user, "/user/positions", sub)).body.balance.deposit).toBe(0)
    yield* venue.trade(user, [], { accountId: second })
    expect((yield* post(user, "/user/subaccounts", { name: "mine" })).status).toBe(422)
  }).pipe(Effect.provide(layer))
)

it.effect("opens subaccounts only for keys with that permission, and at most twenty for each user", () =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const rest = yield* RestClient
    const user = yield* venue.user("owner")
    const other = yield* venue.user("other")
    const trader = yield* venue.user(
      "trader",
      0,
      Selectable.literals.filter((name) => name !== "subaccount_ops")
    )
    expect((yield* post(trader, "/user/subaccounts", {})).status).toBe(403)
    const foreign = { ...(yield* rest.signed(user)), "x-svc-requested-account-id": other.userId }
    expect((yield* ask("POST", "/user/subaccounts", foreign, {})).status).toBe(200)
    expect((yield* get(user, "/user/subaccounts/balance", { "x-svc-requested-account-id": other.userId })).status).toBe(
      403
    )
    for (let count = 1; count < 20; count++) yield* open(user)
    const { body, status } = yield* post(user, "/user/subaccounts", {})
    expect([status, body.type, body.detail]).toEqual([
      409,
      `${rest.restUrl}/problems/too-many-subaccounts`,
      "A user can have at most 20 subaccounts, and subaccounts are never removed; use one that GET /user/subaccounts lists."
    ])
    expect((yield* get(user, "/user/subaccounts")).body.account_ids.length).toBe(20)
  }).pipe(Effect.provide(layer))
)

it.effect(
  "I17: transfers money between two accounts of a user, and refuses each invalid transfer with its own status",
  () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const user = yield* venue.user("owner", 3_686.3)
      const other = yield* venue.user("other")
      const sub = yield* open(user)
      const done = yield* post(user, between(user.userId.toUpperCase(), sub), { amount: 3_000 })
      expect([done.status, done.text]).toEqual([204, ""])
      expect(yield* available(user)).toEqual([686.3, 3_000])
      const tooMuch = yield* post(user, between(user.userId, sub), { amount: 3_700 })
      expect([tooMuch.status, tooMuch.body.errors]).toEqual([
        400,
        [
          {
            location: "body.amount",
            message:
              "Expected at most 686.3 USD, the maximum that the account can release, got 3700; the nearest is 686.3",
            value: 3_700
          }
        ]
      ])
      const statuses = yield* Effect.forEach(
        [
          [between(sub, sub), { amount: 1 }],
          [between(user.userId, other.userId), { amount: 1 }],
          [between(other.userId, sub), { amount: 1 }],
          [between(user.userId, sub), { amount: 0 }],
          [between(user.userId, sub), { amount: -1 }],
          [between(user.userId, sub), { amount: 0.0000001 }],
          [between(user.userId, sub), {}],
          [between(user.userId, "sub"), { amount: 1 }],
          [`/user/transfer?src_account_id=${sub}`, { amount: 1 }],
          [between(user.userId, sub), { amount: "686.3" }],
          [between(user.userId, sub), { amount: 0.000001 }]
        ] as const,
        ([path, body]) => Effect.map(post(user, path, body), ({ status }) => status)
      )
      expect(statuses).toEqual([400, 403, 403, 422, 422, 422, 422, 422, 422, 204, 400])
      expect(yield* available(user)).toEqual([0, 3_686.3])
    }).pipe(Effect.provide(layer))
)

it.effect("I17: under concurrent transfers, the user's total stays the same and no balance falls below 0", () =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const user = yield* venue.user("owner", 100)
    const subs = [yield* open(user), yield* open(user)]
    const accounts = [user.userId as string, ...subs]
    const answers = yield* Effect.forEach(
      Array.from(
        { length: 24 },
        (_, index) => [accounts[index % 3]!, accounts[(index + 1 + (index % 2)) % 3]!] as const
      ),
      ([from, to]) => post(user, between(from, to), { amount: 40 }),
      { concurrency: "unbounded" }
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].every((status) => status === 204 || status === 400)).toBe(true)
    const left: ReadonlyArray<number> = yield* available(user)
    expect(left.reduce((sum, amount) => sum + amount, 0)).toBe(100)
    expect(left.every((amount) => amount >= 0)).toBe(true)
  }).pipe(Effect.provide(layer))
)

it.effect("I8: executes a request with an idempotency key once, and returns the same response to a repeat", () =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const { restUrl } = yield* RestClient
    const user = yield* venue.user("owner", 100)
    const other = yield* venue.user("other", 100)
    const opened = yield* Effect.forEach([1, 2], () => post(user, "/user/subaccounts", {}, "first"))
    expect(opened[1]!.body).toEqual(opened[0]!.body)
    expect(opened.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"])
    const sub = opened[0]!.body.account_id
    // An idempotency key is specific to the user and the operation.
    expect((yield* post(other, "/user/subaccounts", {}, "first")).headers.get("idempotent-replayed")).toBeNull()
    const moved = yield* Effect.all(
      [1, 2, 3].map(() => post(user, between(user.userId, sub), { amount: "30.0" }, "first")),
      { concurrency: "unbounded" }
    )
    expect(moved.map(({ status }) => status)).toEqual([204, 204, 204])
    expect(moved.filter(({ headers }) => headers.get("idempotent-replayed") === "true").length).toBe(2)
    expect(yield* available(user)).toEqual([70, 30])
    const reused = yield* post(user, between(user.userId, sub), { amount: 31 }, "first")
    expect([reused.status, reused.body.type]).toEqual([422, `${restUrl}/problems/idempotency-key-reused`])
    const malformed = yield* Effect.forEach(["two words", "x".repeat(256), "é"], (key) =>
      Effect.map(post(user, between(user.userId, sub), { amount: 1 }, key), ({ body, status }) => [
        status,
        body.errors?.[0]?.location
      ])
    )
    expect(malformed).toEqual(malformed.map(() => [422, "header.idempotency-key"]))
    expect((yield* post(user, between(user.userId, sub), { amount: 1 }, "~".repeat(255))).status).toBe(204)
  }).pipe(Effect.provide(layer))
)

it.effect("executes an operator's credit with an idempotency key once, with one audit entry", () =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const { adminUrl } = yield* RestClient
    const user = yield* venue.user("owner", 0)
    const credit = (amount: number) =>
      call(`${adminUrl}/credits`, {
        method: "POST",
        body: JSON.stringify({ account_id: user.userId, amount, reason: "gift" }),
        headers: {
          authorization: `Bearer ${adminToken}`,
          "content-type": "application/json",
          "idempotency-key": "gift-1"
        }
      })
    const answers = [yield* credit(25), yield* credit(25), yield* credit(26)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 422])
    expect(answers[1]!.body).toEqual(answers[0]!.body)
    expect(answers[1]!.headers.get("idempotent-replayed")).toBe("true")
    expect(yield* available(user)).toEqual([25])
    const entries = yield* (yield* Audit).about(user.userId)
    expect(entries.map(({ action, actor, facts }) => [action, actor, facts["amount"]])).toEqual([
      ["credited", "operator", 25]
    ])
  }).pipe(Effect.provide(layer))
)

it.effect("allows pages of any origin to send the idempotency key and to read the replay header", () =>
  Effect.gen(function* () {
    const { restUrl } = yield* RestClient
    const preflight = yield* call(`${restUrl}/user/transfer`, { method: "OPTIONS" })
    expect(preflight.headers.get("access-control-allow-headers")).toContain("idempotency-key")
    expect(preflight.headers.get("access-control-expose-headers")).toContain("idempotent-replayed")
    const { paths } = (yield* call(`${restUrl}/openapi.json`)).body
    for (const [path, status] of [
      ["/user/subaccounts", 200],
      ["/user/transfer", 204]
    ] as const) {
      const { parameters, responses } = paths[path].post
      expect(parameters).toContainEqual(
        expect.objectContaining({ name: "idempotency-key", in: "header", required: false })
      )
      expect(responses[status].headers["idempotent-replayed"].required).toBe(false)
    }
  }).pipe(Effect.provide(layer))
)

it.effect("if the desk does not respond, returns 504 to a change and 503 to a read", () =>
  Effect.gen(function* () {
    const user = yield* (yield* TestVenue).user("owner")
    expect((yield* post(user, "/user/subaccounts", {})).status).toBe(504)
    expect((yield* post(user, between(user.userId, user.userId), { amount: 1 })).status).toBe(504)
    expect((yield* get(user, "/user/subaccounts/balance")).status).toBe(503)
  }).pipe(Effect.provide(layerCutOff("there")))
)
