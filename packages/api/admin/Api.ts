/** The operator interface, with a bearer token for each operator. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidRequest } from "../InvalidRequest.ts"
import { ErrorModel, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { HealthGroup } from "../rest/Health.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { Moment, SchemaLink, Uuid } from "../Body.ts"
import { version } from "../Version.ts"
import { AlarmsGroup } from "./Alarms.ts"
import { AlarmWebhooksGroup } from "./AlarmWebhooks.ts"
import { AuditGroup } from "./AuditLog.ts"
import { AppointmentsGroup } from "./Appointments.ts"
import { DelistingsGroup } from "./Delistings.ts"
import { DepositsGroup } from "./Deposits.ts"
import { DividendsGroup } from "./Dividends.ts"
import { FuturesGroup } from "./Futures.ts"
import { InstrumentsGroup } from "./Instruments.ts"
import { KeysGroup } from "./Keys.ts"
import { LimitsGroup } from "./Limits.ts"
import { LostNodesGroup } from "./LostNodes.ts"
import { OAuthClientsGroup } from "./OAuthClients.ts"
import { NodesGroup } from "./Nodes.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"
import { OperatorSessionsGroup } from "./OperatorSessions.ts"
import { OwnMoneyGroup } from "./OwnMoney.ts"
import { PricesGroup } from "./Prices.ts"
import { Proof } from "./Proof.ts"
import { ProvidersGroup } from "./Providers.ts"
import { RecoveryGroup } from "./Recovery.ts"
import { ReserveFundGroup } from "./ReserveFund.ts"
import { SettingsGroup } from "./Settings.ts"
import { SimulatedRailsGroup } from "./SimulatedRails.ts"
import { SigningKeysGroup } from "./SigningKeys.ts"
import { SplitsGroup } from "./Splits.ts"
import { TradingStateGroup } from "./TradingState.ts"
import { usdChange } from "../Usd.ts"
import { TreasuryFlagsGroup } from "./TreasuryFlags.ts"
import { UserLookupsGroup } from "./UserLookups.ts"
import { UserOrdersGroup } from "./UserOrders.ts"
import { UsersGroup } from "./Users.ts"
import { WithdrawalsGroup } from "./Withdrawals.ts"
import { VenueModeGroup } from "./VenueMode.ts"
import { operation } from "../Operation.ts"

/** Credit to an account; a correction can be negative. */
export const Credit = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid.annotate({
    description: "Id of the account to credit.",
    examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]
  }),
  amount: usdChange("Amount to credit (negative to debit the account)"),
  reason: Reason
}).annotate({ identifier: "Credit" })

/** Response body of `POST /credits`. */
export const Credited = Schema.Struct({
  credit_id: Schema.String.annotate({ description: "Id of the credit." }),
  account_id: Schema.String.annotate({ description: "Account id." }),
  amount: Schema.Finite.annotate({ description: "Amount credited, in USD; negative for a debit." })
}).annotate({ identifier: "Credited" })

/** Number of accounts near or in liquidation. */
export const AccountsAtRisk = Schema.Struct({
  warned: Schema.Int.annotate({
    description: "Number of accounts whose equity exceeds the maintenance margin by at most 20 %."
  }),
  in_liquidation: Schema.Int.annotate({
    description: "Number of accounts whose equity is at or below the maintenance margin."
  }),
  waiting: Schema.Int.annotate({ description: "Number of users whose positions are not loaded yet." }),
  at: Moment.annotate({ description: "Time of the count, ISO 8601 in UTC." })
}).annotate({ identifier: "AccountsAtRisk" })

/** Endpoints for credits, the check of the books, and accounts at risk. */
export const OperatorGroup = HttpApiGroup.make("operator")
  .add(
    HttpApiEndpoint.post("credits", "/credits", {
      headers: repeatable,
      payload: Credit,
      success: Repeated(Credited),
      error: [NotFound, ServiceUnavailable, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          "Credit an account",
          "Credits or debits an account without a deposit or withdrawal. Requires the role `treasurer`. Refused " +
            "with 404 for an unknown account, and with 422 for an amount of 0 or with more than six decimals."
        )
      )
      .annotate(NeededRole, "treasurer"),
    HttpApiEndpoint.get("proof", "/proof", { success: Proof, error: ServiceUnavailable }).annotateMerge(
      operation(
        "Check that the books balance",
        "Returns the sums of the ledger and of the positions, which are all 0 while the books balance, and compares each rail's books with its holdings."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("risk", "/risk", { success: AccountsAtRisk, error: ServiceUnavailable }).annotateMerge(
      operation(
        "Count accounts at risk",
        "Returns the number of accounts near liquidation and the number of accounts in liquidation."
      )
    )
  )
  .middleware(OperatorOnly)

/** The operator interface. */
export class AdminApi extends HttpApi.make("venue-admin")
  .add(
    OperatorGroup,
    AlarmsGroup,
    AlarmWebhooksGroup,
    LostNodesGroup,
    PricesGroup,
    FuturesGroup,
    UsersGroup,
    UserLookupsGroup,
    UserOrdersGroup,
    KeysGroup,
    OAuthClientsGroup,
    SigningKeysGroup,
    TradingStateGroup,
    VenueModeGroup,
    RecoveryGroup,
    DividendsGroup,
    ReserveFundGroup,
    DelistingsGroup,
    ProvidersGroup,
    SplitsGroup,
    InstrumentsGroup,
    LimitsGroup,
    AppointmentsGroup,
    OperatorSessionsGroup,
    AuditGroup,
    NodesGroup,
    WithdrawalsGroup,
    DepositsGroup,
    OwnMoneyGroup,
    SettingsGroup,
    SimulatedRailsGroup,
    TreasuryFlagsGroup,
    HealthGroup
  )
  .middleware(InvalidRequest)
  .annotateMerge(OpenApi.annotations({ title: "Venue operator", version }))
  .annotate(HttpApi.AdditionalSchemas, [ErrorModel])
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" }) {}
