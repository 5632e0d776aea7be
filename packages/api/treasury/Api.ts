/** The funding interface, whose public name is Funding REST. */
import { HttpApi, OpenApi } from "effect/http-api"
import { InvalidRequest } from "../InvalidRequest.ts"
import { ErrorModel } from "../Problem.ts"
import { HealthGroup } from "../rest/Health.ts"
import { version } from "../Version.ts"
import { AddressGroup } from "./Address.ts"
import { BankAccountGroup } from "./BankAccount.ts"
import { DepositsGroup } from "./Deposits.ts"
import { FiatAddressGroup } from "./FiatAddress.ts"
import { WithdrawGroup } from "./Withdraw.ts"
import { messages } from "./WebhookMessages.ts"
import { WebhooksGroup } from "./Webhooks.ts"
import { WithdrawalAddressesGroup } from "./WithdrawalAddresses.ts"
import { WithdrawalsGroup } from "./Withdrawals.ts"

export class TreasuryApi extends HttpApi.make("treasury")
  .add(AddressGroup, WithdrawalAddressesGroup, FiatAddressGroup, BankAccountGroup, WebhooksGroup, HealthGroup)
  .add(WithdrawGroup, WithdrawalsGroup, DepositsGroup)
  .middleware(InvalidRequest)
  .annotateMerge(OpenApi.annotations({ title: "Venue funding", version }))
  .annotate(HttpApi.AdditionalSchemas, [ErrorModel, ...messages])
  // Reports all faults of a request together, and refuses unknown body members.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" }) {}
