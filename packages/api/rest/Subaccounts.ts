/** `/user/subaccounts`: a user's subaccounts and their balances. `/user/public-accounts`: all of a user's accounts. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { isPrimary } from "@venue/domain/AccountId"
import type { Balance } from "@venue/domain/Balance"
import type { UserId } from "@venue/domain/UserId"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Rows, SchemaLink, Uuid } from "../Body.ts"
import * as Member from "../Member.ts"
import { Conflict, GatewayTimeout, ServiceUnavailable } from "../Problem.ts"
import * as OptionalBody from "../OptionalBody.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** Response body of `GET /user/subaccounts`. */
export const ListSubaccountsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account_ids: Rows(Uuid).annotate({ description: "Ids of the subaccounts; the primary account is not included." })
}).annotate({ identifier: "ListSubaccountsResponseBody" })

/** Body of `POST /user/subaccounts`. */
export const CreateSubaccountRequestBody = Schema.Struct({ $schema: SchemaLink }).annotate({
  identifier: "CreateSubaccountRequestBody"
})

/** Response body of `POST /user/subaccounts`. */
export const CreateSubaccountResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid.annotate({ description: "Id of the new subaccount." })
}).annotate({ identifier: "CreateSubaccountResponseBody" })

/** Balance of one account. */
export const AccountBalance = Schema.Struct({
  account_id: Uuid.annotate({ description: "Account id." }),
  available_balance: Schema.Finite.annotate({ description: "Balance available for new orders, in USD." }),
  equity: Schema.Finite.annotate({ description: "Equity: cash plus unrealised profit or loss, in USD." }),
  is_master: Schema.Boolean.annotate({ description: "Whether the account is the primary account." })
}).annotate({ identifier: "AccountBalance", description: "Balance of one account." })

/** Response body of `GET /user/subaccounts/balance`: the primary account first, then the subaccounts by age. */
export const SubaccountBalancesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  accounts: Rows(AccountBalance).annotate({
    description: "Balances of the primary account, then of the subaccounts, oldest first."
  })
}).annotate({ identifier: "SubaccountBalancesResponseBody" })

/** The caller's account. */
export const OwnAccount = Schema.Struct({
  account_id: Member.uuid("Id of the account"),
  is_master: Member.truth("Whether the account is the primary account"),
  is_public: Member.truth("Whether the positions and trades of the account are public")
}).annotate({ identifier: "OwnAccount" })

/** Response body of `GET /user/public-accounts`: the primary account first, then the subaccounts by age. */
export const PublicAccountsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  accounts: Rows(OwnAccount).annotate({ description: "Accounts of the caller, the primary account first." })
}).annotate({ identifier: "PublicAccountsResponseBody" })

const balances = { success: SubaccountBalancesResponseBody, error: ServiceUnavailable }

export const SubaccountsGroup = HttpApiGroup.make("subaccounts")
  .add(
    HttpApiEndpoint.get("subaccounts", "/user/subaccounts", {
      success: ListSubaccountsResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(operation("List subaccounts", "Returns the ids of the user's subaccounts.")),
    HttpApiEndpoint.post("createSubaccount", "/user/subaccounts", {
      headers: repeatable,
      payload: OptionalBody.orNone(CreateSubaccountRequestBody),
      success: Repeated(CreateSubaccountResponseBody),
      error: [Conflict, ServiceUnavailable, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          "Create a subaccount",
          "Creates an empty subaccount. Refused with 409 if the user has 20 subaccounts, and with 422 for an " +
            "idempotency key that was used for a different request."
        )
      )
      .annotate(OpenApi.Transform, OptionalBody.described),
    HttpApiEndpoint.get("subaccountBalances", "/user/subaccounts/balance", balances).annotateMerge(
      operation("List balances of all accounts", "Returns the balance of the primary account and of each subaccount.")
    ),
    HttpApiEndpoint.get("subaccountEquity", "/user/subaccounts/equity", balances).annotateMerge(
      OpenApi.annotations({
        summary: "List equity of all accounts",
        description:
          "Returns the same response as `GET /user/subaccounts/balance`. This operation is specific to this venue."
      })
    ),
    HttpApiEndpoint.get("publicAccounts", "/user/public-accounts", {
      success: PublicAccountsResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List own accounts",
        description:
          "Returns the ids of the caller's primary account and subaccounts. The user's profile sets `is_public`, which is the same " +
          "for all accounts of the user. This operation is specific to this venue."
      })
    )
  )
  .middleware(Authenticated)

/** Converts an account's balance to its wire format. */
export const accountBalance = (
  userId: UserId,
  { accountId, available, equity }: Balance
): typeof AccountBalance.Type => ({
  account_id: accountId,
  available_balance: decimalOfMoney(available),
  equity: decimalOfMoney(equity),
  is_master: isPrimary(accountId, userId)
})
