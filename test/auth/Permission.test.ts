import { Accounts } from "@venue/auth/Accounts"
import type { Caller } from "@venue/auth/Caller"
import { authorise, Permission, permits, rules } from "@venue/auth/Permission"
import { Users } from "@venue/storage/Users"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

describe("Permission", () => {
  it("I38: each action asks for exactly what it declares, of every permission alone", () => {
    const granted = Object.keys(rules).map((action) => [
      action,
      Permission.literals.filter((name) => permits(caller({ permissions: new Set([name]) }), action)).join(" ")
    ])
    assert.deepStrictEqual(Object.fromEntries(granted), matrix)
  })

  it("I38: an action without a rule is refused to a caller with every permission", () => {
    for (const action of ["withdraw", "", "toString", "__proto__", "constructor", "ADD_ORDER", "GET /user/trade/"]) {
      assert.isFalse(permits(caller({ permissions: new Set(Permission.literals) }), action), action)
    }
  })

  it("a caller without permissions may connect and nothing else", () => {
    const allowed = Object.keys(rules).filter((action) => permits(caller({ permissions: new Set() }), action))
    assert.deepStrictEqual(allowed, ["auth"])
  })

  it("a permission that nobody knows grants nothing", () => {
    const allowed = Object.keys(rules).filter((action) =>
      permits(caller({ permissions: new Set(["admin", "*"]) }), action)
    )
    assert.deepStrictEqual(allowed, ["auth"])
  })

  it.effect("I39: a caller acts on accounts of its own that its credential is for", () =>
    Effect.gen(function* () {
      yield* open
      const whole = caller({})
      const narrow = caller({ scope: "alice-2" })
      const thief = caller({ scope: "bob" })
      assert.deepStrictEqual(
        {
          whole: yield* reach(whole),
          narrow: yield* reach(narrow),
          main: yield* reach(caller({ scope: "alice" })),
          thief: yield* reach(thief),
          token: yield* reach(caller({ via: "jwt", publicKey: null }))
        },
        {
          whole: ["alice", "alice-2"],
          narrow: ["alice-2"],
          main: ["alice"],
          thief: [],
          token: ["alice", "alice-2"]
        }
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("I39: a foreign and an unknown account give the same refusal", () =>
    Effect.gen(function* () {
      yield* open
      const foreign = yield* Effect.flip(authorise(caller({}), "GET /user/trade", "bob"))
      const unknown = yield* Effect.flip(authorise(caller({}), "GET /user/trade", "nobody\0".repeat(1_000)))
      assert.deepStrictEqual({ ...foreign }, { ...unknown })
    }).pipe(Effect.provide(layer))
  )

  it.effect("an own account does not stand in for a permission", () =>
    Effect.gen(function* () {
      yield* open
      const viewer = caller({ permissions: new Set(["view_orders"]) })
      yield* authorise(viewer, "get_order", "alice")
      const refused = yield* Effect.flip(authorise(viewer, "add_order", "alice"))
      const undeclared = yield* Effect.flip(authorise(viewer, "withdraw", "alice"))
      assert.deepInclude(refused, { _tag: "PermissionDenied", reason: "permission" })
      assert.deepInclude(undeclared, { _tag: "PermissionDenied", reason: "no_rule" })
    }).pipe(Effect.provide(layer))
  )
})

const matrix = {
  auth: Permission.literals.join(" "),
  add_order: "execute_orders",
  modify_order: "execute_orders",
  cancel_order: "execute_orders",
  cancel_all_orders: "execute_orders",
  cancel_on_disconnect: "execute_orders",
  close_position: "execute_orders",
  add_twap: "execute_orders",
  cancel_stop_order: "execute_orders",
  modify_stop_order: "execute_orders",
  set_user_leverage: "execute_orders",
  get_order: "view_orders",
  get_user_orders: "view_orders",
  get_user_trades: "view_orders",
  get_user_leverage: "view_positions",
  get_available_leverage_levels: "view_positions",
  "channel order_responses": "view_orders execute_orders",
  "channel fills": "view_orders",
  "channel stop_orders": "view_orders",
  "channel positions": "view_positions",
  "channel balances": "view_balance",
  "channel cancel_on_disconnect": "execute_orders",
  "GET /user/positions": "view_positions",
  "GET /user/trade": "view_orders",
  "POST /user/leverage": "execute_orders"
}

const caller = (changes: Partial<Caller>): Caller => ({
  userId: "alice",
  permissions: new Set(Permission.literals),
  scope: "all_accounts",
  publicKey: "key",
  via: "hmac",
  ...changes
})

const layer = Accounts.layer.pipe(Layer.provideMerge(Users.layerMemory))

const open = Effect.gen(function* () {
  const users = yield* Users
  yield* users.create({ userId: "alice", name: "Alice" })
  yield* users.create({ userId: "bob", name: "Bob" })
  yield* users.openAccount({ accountId: "alice-2", userId: "alice" })
})

const reach = (caller: Caller) =>
  Effect.filter(["alice", "alice-2", "bob", "nobody", "all_accounts"], (accountId) =>
    Effect.isSuccess(authorise(caller, "add_order", accountId))
  )
