/** The words of 403, for every action and reason. */
import { type Action, rules } from "@venue/auth/access/Permission"
import * as Denial from "@venue/gateway/http/Denial"
import { expect, it } from "vitest"

const key = { via: "hmac", clientId: null } as const
const session = { via: "jwt", clientId: null } as const
const said = (
  action: Action,
  reason: "credential" | "permission" | "account",
  caller: typeof key | typeof session = key
) => Denial.denied({ action, reason }, caller, "acme")

it("a missing permission is named with where to get it", () => {
  expect(said("POST /user/leverage", "permission")).toBe(
    "The API key lacks the permission execute_orders; make a key that has it with POST /user/api-keys."
  )
  expect(said("GET /user/subaccounts", "permission")).toContain("view_balance or subaccount_ops")
  expect(said("POST /withdraw", "permission")).not.toContain("withdraw_registered")
  expect(said("POST /builder/web3/api-key", "permission")).toBe(
    "The API key lacks the permission register_user, which only the operator can grant."
  )
})

it("the kind of credential that a call needs is named", () => {
  expect(said("POST /user/api-keys", "credential")).toContain("send the access token of a session")
  expect(said("GET /user/builder-code", "credential", session)).toContain("sign the request with an API key")
  expect(
    Denial.denied({ action: "POST /user/terms", reason: "credential" }, { via: "jwt", clientId: "app" }, "acme")
  ).toContain("An application may not do this")
})

it("an account is refused in words that do not tell whether it exists or whose it is", () => {
  expect(said("GET /user/positions", "account")).toContain("x-acme-requested-account-id")
  expect(said("GET /address", "account")).toContain("POST /user/transfer")
  for (const action of Object.keys(rules) as ReadonlyArray<Action>) {
    expect(said(action, "account")).not.toMatch(/exist|another user|belongs|foreign/)
  }
})
