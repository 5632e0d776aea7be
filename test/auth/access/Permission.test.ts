import { permits, rules } from "@venue/auth/access/Permission"
import { Permission, Selectable } from "@venue/domain/Permission"
import { assert, describe, it } from "@effect/vitest"
import { caller } from "./Callers.ts"

describe("Permission", () => {
  it("I38: requires exactly the declared permission for each action", () => {
    const granted = Object.keys(matrix).map((action) => [
      action,
      Permission.literals.filter((name) => permits(caller({ permissions: new Set([name]) }), action)).join(" ")
    ])
    assert.deepStrictEqual(Object.fromEntries(granted), matrix)
  })

  it("I38: rejects an action that has no permission rule, even if the caller has every permission", () => {
    for (const action of ["withdraw", "", "toString", "__proto__", "constructor", "ADD_ORDER", "GET /user/trade/"]) {
      assert.isFalse(permits(caller({ permissions: new Set(Permission.literals) }), action), action)
    }
  })

  it("allows a caller without permissions only actions that require none, and rejects unknown permissions", () => {
    const open = Object.entries(rules).flatMap(([action, { anyOf }]) => (anyOf.length === 0 ? [action] : []))
    for (const permissions of [new Set<string>(), new Set(["admin", "*"])]) {
      const allowed = Object.keys(rules).filter((action) =>
        (["hmac", "jwt"] as const).some((via) => permits(caller({ permissions, via }), action))
      )
      assert.deepStrictEqual(allowed, open)
    }
    assert.deepStrictEqual(
      open.filter((action) => !/^[A-Z]+ /.test(action)),
      ["auth"]
    )
  })

  it("does not allow a key to manage or list keys, whatever the key's permissions", () => {
    const about = Object.keys(rules).filter((action) => action.includes("/api-keys"))
    assert.lengthOf(about, 5)
    for (const action of about) {
      assert.isFalse(permits(caller({}), action), action)
      assert.isTrue(permits(caller({ via: "jwt", permissions: new Set(Selectable.literals) }), action), action)
    }
  })

  it("allows only the user's own session, and no application, to manage keys, grants, webhooks, profile and onboarding", () => {
    const refused = Object.keys(rules).filter((action) => {
      const own = caller({ via: "jwt" })
      return permits(own, action) && !permits({ ...own, clientId: "application" }, action)
    })
    assert.deepStrictEqual(refused, [
      "POST /user/invitation-codes/redeem",
      "GET /user/api-keys",
      "POST /user/api-keys",
      "PATCH /user/api-keys/:public_key",
      "DELETE /user/api-keys/:public_key",
      "POST /user/api-keys/:public_key/rotate",
      "GET /user/builder-grants",
      "DELETE /user/builder-grants/:builder_id",
      "POST /user/terms",
      "POST /user/verification",
      "PATCH /user/profile",
      "POST /webhooks",
      "DELETE /webhooks/:id"
    ])
  })
})

const matrix = {
  auth: Permission.literals.join(" "),
  add_order: "execute_orders",
  modify_order: "execute_orders",
  cancel_order: "execute_orders",
  cancel_all_orders: "execute_orders",
  cancel_on_disconnect: "execute_orders",
  cancel_all_after: "execute_orders",
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
  "channel balances": "view_positions view_balance",
  "channel cancel_on_disconnect": "execute_orders",
  "GET /user/positions": "view_positions",
  "GET /user/trade": "view_orders",
  "GET /user/historic-twaps": "view_orders",
  "GET /trades-csv": "view_orders",
  "POST /user/leverage": "execute_orders",
  "GET /user/subaccounts": "view_balance subaccount_ops"
}
