/** Tests of the texts of 403 responses, for every action and reason. */
import { type Action, rules } from "@venue/auth/access/Permission"
import * as Denial from "@venue/gateway/http/Denial"
import { expect, it } from "vitest"

const key = { via: "hmac", clientId: null } as const
const session = { via: "jwt", clientId: null } as const
const detailOf = (
  action: Action,
  reason: "credential" | "permission" | "account",
  caller: typeof key | typeof session = key
) => Denial.denied({ action, reason }, caller, "acme")

it("a 403 names the missing permission and how to obtain it", () => {
  expect(detailOf("POST /user/leverage", "permission")).toBe(
    "The API key lacks the permission execute_orders; use POST /user/api-keys to create a key with this permission."
  )
  expect(detailOf("GET /user/subaccounts", "permission")).toContain("view_balance or subaccount_ops")
  expect(detailOf("POST /withdraw", "permission")).not.toContain("withdraw_registered")
  expect(detailOf("POST /builder/web3/api-key", "permission")).toBe(
    "The API key lacks the permission register_user, which only the operator can grant."
  )
})

it("a 403 names the kind of credential that the request needs", () => {
  expect(detailOf("POST /user/api-keys", "credential")).toContain("send the access token as Authorization: Bearer")
  expect(detailOf("GET /user/builder-code", "credential", session)).toContain("sign the request with an API key")
  expect(
    Denial.denied({ action: "POST /user/terms", reason: "credential" }, { via: "jwt", clientId: "app" }, "acme")
  ).toContain("OAuth applications cannot do this")
})

it("refuses access to an account without revealing whether the account exists or who owns it", () => {
  expect(detailOf("GET /user/positions", "account")).toContain("x-acme-requested-account-id")
  expect(detailOf("GET /address", "account")).toContain("POST /user/transfer")
  for (const action of Object.keys(rules) as ReadonlyArray<Action>) {
    expect(detailOf(action, "account")).not.toMatch(/exist|another user|belongs|foreign/)
  }
})
