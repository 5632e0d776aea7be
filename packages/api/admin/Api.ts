/** The operator interface: loopback only, a bearer token for each of those who run the venue. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidRequest } from "../InvalidRequest.ts"
import { ErrorModel, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { HealthGroup } from "../rest/Health.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { Moment, SchemaLink, Uuid } from "../Body.ts"
import { version } from "../Version.ts"
import { AlarmsGroup } from "./Alarms.ts"
import { AppointmentsGroup } from "./Appointments.ts"
import { DelistingsGroup } from "./Delistings.ts"
import { DepositsGroup } from "./Deposits.ts"
import { DividendsGroup } from "./Dividends.ts"
import { FuturesGroup } from "./Futures.ts"
import { InstrumentsGroup } from "./Instruments.ts"
import { KeysGroup } from "./Keys.ts"
import { LimitsGroup } from "./Limits.ts"
import { OAuthClientsGroup } from "./OAuthClients.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"
import { OwnMoneyGroup } from "./OwnMoney.ts"
import { PricesGroup } from "./Prices.ts"
import { Proof } from "./Proof.ts"
import { ProvidersGroup } from "./Providers.ts"
import { ReserveFundGroup } from "./ReserveFund.ts"
import { SimulatedRailsGroup } from "./SimulatedRails.ts"
import { SigningKeysGroup } from "./SigningKeys.ts"
import { SplitsGroup } from "./Splits.ts"
import { TradingStateGroup } from "./TradingState.ts"
import { usdChange } from "../Usd.ts"
import { TreasuryFlagsGroup } from "./TreasuryFlags.ts"
import { UsersGroup } from "./Users.ts"
import { WithdrawalsGroup } from "./Withdrawals.ts"
import { VenueModeGroup } from "./VenueMode.ts"

/** A correction may be negative. */
export const Credit = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid,
  amount: usdChange("Amount to credit; a negative amount debits the account"),
  reason: Reason
}).annotate({ identifier: "Credit" })

export const Credited = Schema.Struct({
  credit_id: Schema.String,
  account_id: Schema.String,
  amount: Schema.Finite
}).annotate({ identifier: "Credited" })

/** Accounts whose equity is at most a fifth above their maintenance margin, and those whose equity is not above it. */
export const AccountsAtRisk = Schema.Struct({
  warned: Schema.Int,
  in_liquidation: Schema.Int,
  /** Users whose positions are not known yet, because a market has not answered. */
  waiting: Schema.Int,
  at: Moment
}).annotate({ identifier: "AccountsAtRisk" })

export const OperatorGroup = HttpApiGroup.make("operator")
  .add(
    HttpApiEndpoint.post("credits", "/credits", {
      headers: repeatable,
      payload: Credit,
      success: Repeated(Credited),
      error: [NotFound, ServiceUnavailable, GatewayTimeout]
    }).annotate(NeededRole, "treasurer"),
    HttpApiEndpoint.get("proof", "/proof", { success: Proof, error: ServiceUnavailable })
  )
  .add(HttpApiEndpoint.get("risk", "/risk", { success: AccountsAtRisk, error: ServiceUnavailable }))
  .middleware(OperatorOnly)

export class AdminApi extends HttpApi.make("venue-admin")
  .add(
    OperatorGroup,
    AlarmsGroup,
    PricesGroup,
    FuturesGroup,
    UsersGroup,
    KeysGroup,
    OAuthClientsGroup,
    SigningKeysGroup,
    TradingStateGroup,
    VenueModeGroup,
    DividendsGroup,
    ReserveFundGroup,
    DelistingsGroup,
    ProvidersGroup,
    SplitsGroup,
    InstrumentsGroup,
    LimitsGroup,
    AppointmentsGroup,
    WithdrawalsGroup,
    DepositsGroup,
    OwnMoneyGroup,
    SimulatedRailsGroup,
    TreasuryFlagsGroup,
    HealthGroup
  )
  .middleware(InvalidRequest)
  .annotateMerge(OpenApi.annotations({ title: "Venue operator", version }))
  .annotate(HttpApi.AdditionalSchemas, [ErrorModel])
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" }) {}
