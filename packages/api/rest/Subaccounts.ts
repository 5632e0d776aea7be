/** `/user/subaccounts`: the accounts of a user beside the primary one, and what each has. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { isPrimary } from "@venue/domain/AccountId"
import type { Balance } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Rows, SchemaLink, Uuid } from "../Body.ts"
import { Conflict, GatewayTimeout, ServiceUnavailable } from "../Problem.ts"
import * as OptionalBody from "../OptionalBody.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { Authenticated } from "./Caller.ts"

export const ListSubaccountsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account_ids: Rows(Uuid)
}).annotate({ identifier: "ListSubaccountsResponseBody" })

export const CreateSubaccountRequestBody = Schema.Struct({ $schema: SchemaLink }).annotate({
  identifier: "CreateSubaccountRequestBody"
})

export const CreateSubaccountResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid
}).annotate({ identifier: "CreateSubaccountResponseBody" })

export const AccountBalance = Schema.Struct({
  account_id: Uuid,
  available_balance: Schema.Finite,
  equity: Schema.Finite,
  is_master: Schema.Boolean
}).annotate({ identifier: "AccountBalance" })

/** The primary account comes first, the others in the order they were opened. */
export const SubaccountBalancesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  accounts: Rows(AccountBalance)
}).annotate({ identifier: "SubaccountBalancesResponseBody" })

export const SubaccountsGroup = HttpApiGroup.make("subaccounts")
  .add(
    HttpApiEndpoint.get("subaccounts", "/user/subaccounts", {
      success: ListSubaccountsResponseBody,
      error: ServiceUnavailable
    }),
    HttpApiEndpoint.post("createSubaccount", "/user/subaccounts", {
      headers: repeatable,
      payload: OptionalBody.orNone(CreateSubaccountRequestBody),
      success: Repeated(CreateSubaccountResponseBody),
      error: [Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotate(OpenApi.Transform, OptionalBody.described),
    HttpApiEndpoint.get("subaccountBalances", "/user/subaccounts/balance", {
      success: SubaccountBalancesResponseBody,
      error: ServiceUnavailable
    })
  )
  .middleware(Authenticated)

export const accountBalance = (
  userId: UserId,
  { accountId, available, equity }: Balance
): typeof AccountBalance.Type => ({
  account_id: accountId,
  available_balance: decimalOfMoney(available),
  equity: decimalOfMoney(equity),
  is_master: isPrimary(accountId, userId)
})
