/** `/user/subaccounts`: the accounts of a user beside the primary one, and what each has. `/user/public-accounts`: all of them. */
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

export const ListSubaccountsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account_ids: Rows(Uuid).annotate({ description: "Ids of the subaccounts; the primary account is not among them." })
}).annotate({ identifier: "ListSubaccountsResponseBody" })

export const CreateSubaccountRequestBody = Schema.Struct({ $schema: SchemaLink }).annotate({
  identifier: "CreateSubaccountRequestBody"
})

export const CreateSubaccountResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid.annotate({ description: "Id of the new subaccount." })
}).annotate({ identifier: "CreateSubaccountResponseBody" })

export const AccountBalance = Schema.Struct({
  account_id: Uuid.annotate({ description: "Id of the account." }),
  available_balance: Schema.Finite.annotate({ description: "Money that new orders may use, in USD." }),
  equity: Schema.Finite.annotate({ description: "Cash and unrealised profit or loss, in USD." }),
  is_master: Schema.Boolean.annotate({ description: "Whether it is the primary account." })
}).annotate({ identifier: "AccountBalance", description: "Balance of one account." })

/** The primary account comes first, the others in the order they were opened. */
export const SubaccountBalancesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  accounts: Rows(AccountBalance).annotate({
    description: "Balances: the primary account first, then the subaccounts by age."
  })
}).annotate({ identifier: "SubaccountBalancesResponseBody" })

export const OwnAccount = Schema.Struct({
  account_id: Member.uuid("Account of the caller"),
  is_master: Member.truth("Whether this is the primary account"),
  is_public: Member.truth("Whether everybody may see the positions and trades of the account")
}).annotate({ identifier: "OwnAccount" })

/** The primary account comes first, the others in the order they were opened. */
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
          "Creates a subaccount without money. Refused with 409 if the user has 20 subaccounts, or for an " +
            "idempotency key of another request."
        )
      )
      .annotate(OpenApi.Transform, OptionalBody.described),
    HttpApiEndpoint.get("subaccountBalances", "/user/subaccounts/balance", balances).annotateMerge(
      operation("List balances of all accounts", "Returns the balance of the primary account and of each subaccount.")
    ),
    HttpApiEndpoint.get("subaccountEquity", "/user/subaccounts/equity", balances).annotateMerge(
      OpenApi.annotations({
        summary: "Balance and equity of each account",
        description: "The same answer as `GET /user/subaccounts/balance`. An addition of this venue."
      })
    ),
    HttpApiEndpoint.get("publicAccounts", "/user/public-accounts", {
      success: PublicAccountsResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Accounts of the caller, and whether they are public",
        description:
          "Lists the primary account and all subaccounts of the caller, so that a client finds its account ids. `is_public` is " +
          "the choice of the profile and holds for all accounts of the user. An addition of this venue."
      })
    )
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
