/** Reads of users' data by operators. The audit log records each read. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RowCount } from "../Body.ts"
import { instant, text, truth, uuid } from "../Member.ts"
import { operation } from "../Operation.ts"
import { described } from "../Parameter.ts"
import { BadRequest, NotFound, ServiceUnavailable } from "../Problem.ts"
import { ApiKey } from "../rest/ApiKeys.ts"
import { ListCount } from "../rest/ListPage.ts"
import { BalancePublic, PositionPublic } from "../rest/Positions.ts"
import { Deposit } from "../treasury/Deposits.ts"
import { pageParameters, pageQuery } from "../treasury/TreasuryPage.ts"
import { OperatorOnly } from "./Operator.ts"
import { OperatorOrder } from "./UserOrders.ts"
import { ReviewedWithdrawal } from "./Withdrawals.ts"

const summary = {
  user_id: uuid("Id of the user"),
  name: text("Name of the user: the wallet address of the first sign-in, or the name given by a builder"),
  username: Schema.NullOr(text("Public username; null if the user has chosen none")),
  wallet_addresses: Schema.Array(Schema.String).annotate({
    description: "Ethereum addresses with which the user signs in, in lower case."
  }),
  frozen: truth("Whether the user is frozen"),
  identity: Schema.Literals(["none", "pending", "verified", "refused"]).annotate({
    description: "State of the identity verification."
  }),
  created_at: instant("Time at which the user was created")
}

/** User as operators see it. */
export const UserSummary = Schema.Struct(summary).annotate({
  identifier: "UserSummary",
  description: "User of the venue."
})

/** Response body of `GET /users`. */
export const UserMatches = Schema.Struct({
  data: Schema.Array(UserSummary).annotate({ description: "Users that match the search, at most 100." }),
  count: RowCount
}).annotate({ identifier: "UserMatches" })

/** Response body of `GET /users/frozen`. */
export const FrozenUsers = Schema.Struct({
  data: Schema.Array(UserSummary).annotate({ description: "Frozen users, ordered by id." }),
  count: ListCount
}).annotate({ identifier: "FrozenUsers" })

/** User with the state of onboarding. */
export const UserDetail = Schema.Struct({
  ...summary,
  country: Schema.NullOr(text("Country of the identity document, ISO 3166-1 alpha-2; null before the verification")),
  seen_in: Schema.NullOr(text("Country from which the user last connected, ISO 3166-1 alpha-2; null if unknown")),
  terms_version: Schema.NullOr(
    text("Version of the terms that the user last accepted; null if the user has accepted none")
  ),
  has_second_factor: truth("Whether the user has a second factor"),
  account_ids: Schema.Array(Schema.String).annotate({
    description: "Ids of the user's accounts, the primary account first."
  })
}).annotate({ identifier: "UserDetail" })

/** Account with its balance and positions. */
export const OperatorAccount = Schema.Struct({
  account_id: uuid("Id of the account"),
  is_primary: truth("Whether the account is the user's primary account"),
  balance: BalancePublic,
  positions: Schema.Array(PositionPublic).annotate({
    description: "One entry for each market with an open position, open orders or realised profit or loss."
  })
}).annotate({ identifier: "OperatorAccount", description: "Account of a user with its balance and positions." })

/** Response body of `GET /users/{user_id}/accounts`. */
export const OperatorAccounts = Schema.Struct({
  data: Schema.Array(OperatorAccount).annotate({ description: "Accounts of the user, the primary account first." }),
  count: RowCount
}).annotate({ identifier: "OperatorAccounts" })

/** Response body of `GET /users/{user_id}/orders`. */
export const OperatorOrders = Schema.Struct({
  data: Schema.Array(OperatorOrder).annotate({
    description: "Open orders and waiting stops of all accounts, newest first."
  }),
  count: RowCount
}).annotate({ identifier: "OperatorOrders" })

/** Response body of `GET /users/{user_id}/deposits`. */
export const UserDeposits = Schema.Struct({
  data: Schema.Array(Deposit).annotate({ description: "Deposits of the user, newest first." }),
  count: ListCount
}).annotate({ identifier: "UserDeposits" })

/** Response body of `GET /users/{user_id}/withdrawals`. */
export const UserWithdrawals = Schema.Struct({
  data: Schema.Array(ReviewedWithdrawal).annotate({ description: "Withdrawals of the user, newest first." }),
  count: ListCount
}).annotate({ identifier: "UserWithdrawals" })

/** Session of a user. */
export const UserSession = Schema.Struct({
  session_id: uuid("Id of the session"),
  client_id: Schema.NullOr(text("Application that acts for the user; null for the user's own session")),
  scope: Schema.NullOr(text("Scopes granted to the application, separated by spaces; null for the user's own session")),
  assurance: Schema.Literals(["aal1", "aal2"]).annotate({
    description: "Assurance level: `aal2` after a second factor, else `aal1`."
  }),
  created_at: instant("Time of the sign-in"),
  refreshed_at: instant("Time of the last refresh"),
  expires_at: instant("Time at which the session ends")
}).annotate({ identifier: "UserSession", description: "Live session of a user." })

/** Response body of `GET /users/{user_id}/sessions`. */
export const UserSessions = Schema.Struct({
  data: Schema.Array(UserSession).annotate({ description: "Live sessions of the user, ordered by id." }),
  count: RowCount
}).annotate({ identifier: "UserSessions" })

/** A user's API key that a builder holds. */
export const HeldApiKey = Schema.Struct({
  public_key: text("Public key, which identifies the API key"),
  label: text("Label of the key"),
  builder_user_id: uuid("Id of the builder's user"),
  created_at: instant("Time of creation"),
  last_used_at: Schema.NullOr(
    instant("Time of the last accepted request with the key", "; null before the first such request")
  )
}).annotate({ identifier: "HeldApiKey", description: "A user's API key that a builder holds." })

/** Response body of `GET /users/{user_id}/api-keys`. */
export const UserApiKeys = Schema.Struct({
  data: Schema.Array(ApiKey).annotate({ description: "Valid API keys of the user, without their secrets." }),
  held_by_builders: Schema.Array(HeldApiKey).annotate({
    description: "Valid API keys of the user that builders hold, without their secrets."
  }),
  count: RowCount
}).annotate({ identifier: "UserApiKeys" })

const params = {
  user_id: Schema.String.annotate({ description: "User id.", examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"] })
}
const ofUser = { params, error: [NotFound, ServiceUnavailable] } as const
const paged = { params, query: pageQuery, error: [BadRequest, NotFound, ServiceUnavailable] } as const
const audited = "The read is recorded in the audit log. Refused with 404 for an unknown user."

export const UserLookupsGroup = HttpApiGroup.make("userLookups")
  .add(
    HttpApiEndpoint.get("search", "/users", {
      query: {
        search: Schema.String.annotate({
          description: "User id, account id, Ethereum address, name or username, in full.",
          examples: ["0x9858effd232b4033e47d90003d41ec34ecaeda94"]
        })
      },
      success: UserMatches,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "Find users",
        "Returns the users with exactly this id, account, wallet address, name or username. The audit log records each returned user."
      )
    ),
    HttpApiEndpoint.get("frozen", "/users/frozen", {
      query: pageQuery,
      success: FrozenUsers,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation("List frozen users", "Returns the frozen users. The audit log records each returned user.")
      )
      .annotate(OpenApi.Transform, described(pageParameters)),
    HttpApiEndpoint.get("one", "/users/:user_id", { ...ofUser, success: UserDetail }).annotateMerge(
      operation("Get a user", `Returns a user with the state of onboarding and the accounts. ${audited}`)
    ),
    HttpApiEndpoint.get("accounts", "/users/:user_id/accounts", { ...ofUser, success: OperatorAccounts }).annotateMerge(
      operation(
        "Get a user's balances and positions",
        `Returns each account of a user with its balance and positions. ${audited}`
      )
    ),
    HttpApiEndpoint.get("orders", "/users/:user_id/orders", { ...ofUser, success: OperatorOrders }).annotateMerge(
      operation(
        "List a user's open orders",
        `Returns the open orders and waiting stops of all of a user's accounts. ${audited}`
      )
    ),
    HttpApiEndpoint.get("deposits", "/users/:user_id/deposits", { ...paged, success: UserDeposits })
      .annotateMerge(operation("List a user's deposits", `Returns the deposits of a user, newest first. ${audited}`))
      .annotate(OpenApi.Transform, described(pageParameters)),
    HttpApiEndpoint.get("withdrawals", "/users/:user_id/withdrawals", { ...paged, success: UserWithdrawals })
      .annotateMerge(
        operation("List a user's withdrawals", `Returns the withdrawals of a user, newest first. ${audited}`)
      )
      .annotate(OpenApi.Transform, described(pageParameters)),
    HttpApiEndpoint.get("sessions", "/users/:user_id/sessions", { ...ofUser, success: UserSessions }).annotateMerge(
      operation("List a user's sessions", `Returns the live sessions of a user. ${audited}`)
    ),
    HttpApiEndpoint.get("apiKeys", "/users/:user_id/api-keys", { ...ofUser, success: UserApiKeys }).annotateMerge(
      operation("List a user's API keys", `Returns the valid API keys of a user, never their secrets. ${audited}`)
    )
  )
  .middleware(OperatorOnly)
