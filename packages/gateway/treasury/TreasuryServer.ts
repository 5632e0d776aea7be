/** The treasury interface on its port. */
import type { Problems } from "@venue/api/Problem"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { document } from "@venue/api/treasury/Document"
import { ruleOf } from "@venue/auth/access/Permission"
import type { Missing } from "@venue/domain/Onboarding"
import { Effect, Layer, type Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ApiListener from "../http/ApiListener.ts"
import * as Authentication from "../http/Authentication.ts"
import { group } from "../http/Endpoints.ts"
import { routesOf } from "../http/Gate.ts"
import * as HealthPages from "../http/HealthPages.ts"
import { invalidRequest } from "../http/ProblemRefusals.ts"
import * as Pages from "../rest/Pages.ts"
import * as Address from "./Address.ts"
import * as BankAccount from "./BankAccount.ts"
import * as BankWebhook from "./BankWebhook.ts"
import * as Deposits from "./Deposits.ts"
import * as FiatAddress from "./FiatAddress.ts"
import * as Withdraw from "./Withdraw.ts"
import * as Webhooks from "./Webhooks.ts"
import * as WithdrawalAddresses from "./WithdrawalAddresses.ts"
import * as Withdrawals from "./Withdrawals.ts"

export interface TreasuryServerOptions extends ApiListener.ApiListenerOptions {
  /** Number of hours for which withdrawals to a new address are held for review; 0 disables the hold. */
  /** Returns the minimum age of a withdrawal address, in hours. */
  readonly newAddressHoldHours: () => number
  /** Secret with which the bank signs its webhooks. If undefined, the endpoint does not exist. */
  readonly bankWebhookSecret?: Redacted.Redacted | undefined
}

export const open = Effect.fn("TreasuryServer.open")(
  ({ bankWebhookSecret, newAddressHoldHours, ...options }: TreasuryServerOptions) =>
    ApiListener.listen(options, {
      what: "the interface for deposits and withdrawals",
      routes: [
        ...routesOf(TreasuryApi),
        ...Pages.routes,
        ...(bankWebhookSecret === undefined ? [] : BankWebhook.routes)
      ],
      layer: (authentication) => site(authentication, { bankWebhookSecret, newAddressHoldHours })
    })
)

const site = (
  authentication: Authentication.AuthenticationOptions,
  { bankWebhookSecret, newAddressHoldHours }: Pick<TreasuryServerOptions, "bankWebhookSecret" | "newAddressHoldHours">
) => {
  const { brand } = authentication
  return Layer.mergeAll(
    bankWebhookSecret === undefined ? Layer.empty : BankWebhook.layer(bankWebhookSecret),
    HttpApiBuilder.layer(TreasuryApi).pipe(
      Layer.provide([
        Address.layer,
        WithdrawalAddresses.layer,
        FiatAddress.layer,
        BankAccount.layer,
        Webhooks.layer,
        Withdraw.layer({ newAddressHoldHours }),
        Withdrawals.layer,
        Deposits.layer,
        group(TreasuryApi, "health", (handlers) =>
          Effect.map(HealthPages.answers, (answers) => handlers.handleAll(answers))
        )
      ]),
      Layer.provide(Authentication.layer({ ...authentication, onboardingRequired })),
      Layer.provide(invalidRequest)
    ),
    Pages.layer((baseUrl) => document({ baseUrl, brand, accessOf: ruleOf }))
  )
}

/** Refuses with 401 until the terms are accepted, and with 403 while other steps are missing. */
const onboardingRequired = (refusals: Problems, missing: ReadonlyArray<Missing>) =>
  missing.includes("terms") ? refusals.termsRequired(missing) : refusals.onboardingRequired(missing)
