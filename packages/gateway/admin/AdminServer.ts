/** Operator interface: on a loopback address, or with TLS and an allow list on any other address. */
import { AdminApi } from "@venue/api/admin/Api"
import { document } from "@venue/api/admin/Document"
import * as AllowList from "@venue/auth/access/AllowList"
import { Effect, Layer, type Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import * as HealthPages from "../http/HealthPages.ts"
import * as ApiListener from "../http/ApiListener.ts"
import { routesOf } from "../http/Gate.ts"
import * as HttpListener from "../http/HttpListener.ts"
import { invalidRequest } from "../http/ProblemRefusals.ts"
import * as RequestCharge from "../http/RequestCharge.ts"
import * as Pages from "../rest/Pages.ts"
import * as Alarms from "./Alarms.ts"
import * as AlarmWebhooks from "./AlarmWebhooks.ts"
import * as AuditLog from "./AuditLog.ts"
import * as Appointments from "./Appointments.ts"
import * as Commands from "./Commands.ts"
import * as Delistings from "./Delistings.ts"
import * as Deposits from "./Deposits.ts"
import * as Dividends from "./Dividends.ts"
import * as Futures from "./Futures.ts"
import * as Instruments from "./Instruments.ts"
import * as Keys from "./Keys.ts"
import * as Limits from "./Limits.ts"
import * as LostNodes from "./LostNodes.ts"
import * as OAuthClients from "./OAuthClients.ts"
import * as Nodes from "./Nodes.ts"
import * as Operators from "./Operators.ts"
import * as OperatorSessions from "./OperatorSessions.ts"
import * as OwnMoney from "./OwnMoney.ts"
import * as Prices from "./Prices.ts"
import * as Providers from "./Providers.ts"
import * as Recovery from "./Recovery.ts"
import * as RecoveryWork from "./RecoveryWork.ts"
import * as ReserveFund from "./ReserveFund.ts"
import * as Settings from "./Settings.ts"
import * as SimulatedRails from "./SimulatedRails.ts"
import * as SigningKeys from "./SigningKeys.ts"
import * as Splits from "./Splits.ts"
import * as TradingState from "./TradingState.ts"
import * as TreasuryFlags from "./TreasuryFlags.ts"
import * as UserLookups from "./UserLookups.ts"
import * as UserOrders from "./UserOrders.ts"
import * as Users from "./Users.ts"
import * as Withdrawals from "./Withdrawals.ts"
import * as VenueMode from "./VenueMode.ts"

export interface AdminServerOptions {
  /** Listening address. Any address other than loopback needs `tls` and `allow`. Default: 127.0.0.1. */
  readonly host?: string
  readonly port: number
  /** Returns the token of the first operator. */
  readonly token: () => Redacted.Redacted
  readonly tls?: HttpListener.Tls | undefined
  /** Addresses and networks that are permitted to connect; empty: all. */
  readonly allow?: ReadonlyArray<string>
}

export const open = Effect.fn("AdminServer.open")(function* (options: AdminServerOptions) {
  const { allow = [], host = loopback, port, tls, token } = options
  yield* Effect.forkScoped(RecoveryWork.forever)
  const limits = yield* ApiListener.addressLimits
  const admits = allow.length === 0 ? undefined : AllowList.of(allow)
  const place = { what: "the operator interface", host, port, tls, admits }
  return yield* HttpListener.listen(place, (baseUrl) => ({
    layer: Layer.merge(
      HttpApiBuilder.layer(AdminApi).pipe(
        Layer.provide([
          Commands.layer,
          Alarms.layer,
          AlarmWebhooks.layer,
          LostNodes.layer,
          Prices.layer,
          Futures.layer,
          Users.layer,
          UserLookups.layer,
          UserOrders.layer,
          AuditLog.layer,
          Nodes.layer,
          Keys.layer,
          OAuthClients.layer,
          SigningKeys.layer,
          TradingState.layer,
          VenueMode.layer,
          Recovery.layer,
          Dividends.layer,
          ReserveFund.layer,
          Delistings.layer,
          Providers.layer,
          Splits.layer,
          Instruments.layer,
          Limits.layer,
          Appointments.layer,
          OperatorSessions.layer,
          Withdrawals.layer,
          Deposits.layer,
          OwnMoney.layer,
          Settings.layer,
          SimulatedRails.layer,
          TreasuryFlags.layer,
          group(AdminApi, "health", (handlers) =>
            Effect.map(HealthPages.answers, (answers) => handlers.handleAll(answers))
          )
        ]),
        Layer.provide(Operators.layer(token)),
        Layer.provide(invalidRequest)
      ),
      Pages.layer(document)
    ),
    // With TLS, the certificate already ties the name to this server.
    ...(tls === undefined ? { names: namesOf(baseUrl) } : {}),
    routes: [...routesOf(AdminApi), ...Pages.routes],
    admit: RequestCharge.ofPeers(baseUrl, limits)
  }))
})

const loopback = "127.0.0.1"

/** Returns the permitted `Host` values: this machine's names, each with the base URL's port. */
const namesOf = (baseUrl: string): ReadonlyArray<string> =>
  [loopback, "localhost", "[::1]"].map((name) => {
    const url = new URL(baseUrl)
    url.hostname = name
    return url.host
  })
