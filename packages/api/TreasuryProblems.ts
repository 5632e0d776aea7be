/** Problems of deposits, withdrawals and webhooks. */
import type { Missing } from "@venue/domain/Onboarding"
import { missingSteps } from "./OnboardingSteps.ts"
import {
  BadRequest,
  body,
  Conflict,
  type ErrorDetail,
  Forbidden,
  NotFound,
  quoted,
  ServiceUnavailable,
  Unauthorized,
  unknownOf
} from "./ProblemBody.ts"
import type { Page } from "./ProblemPages.ts"

/** Returns functions that build the treasury interface's problems; the problems' URIs start with `baseUrl`. */
export const ofTreasury = (baseUrl: string) => ({
  /** Invalid member; `page` states its kind. `errors` must not contain secrets. */
  invalidValue: (page: Page, errors: ReadonlyArray<ErrorDetail>) =>
    new BadRequest(body(baseUrl, 400, page, { errors })),
  /** Onboarding problem with status 401, sent if acceptance of the terms is among the missing steps. */
  termsRequired: (missing: ReadonlyArray<Missing>) =>
    new Unauthorized(body(baseUrl, 401, "onboarding-required", { errors: missingSteps(missing) })),
  addressNotRegistered: (address: string) =>
    new Forbidden(
      body(baseUrl, 403, "address-not-registered", {
        detail: `These credentials can withdraw only to registered addresses; register ${quoted(address)} first with POST /withdrawal-addresses.`
      })
    ),
  railNotConnected: (rail: string) =>
    new ServiceUnavailable(
      body(baseUrl, 503, "rail-not-connected", {
        detail: `The venue is not connected to ${rail}; choose another network or bank, or ask the operator.`
      })
    ),
  tooManyDepositAddresses: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-deposit-addresses", {
        detail: `A user can have at most ${limit} deposit addresses on each network, and deposit addresses are never removed; use the address that GET /address returns.`
      })
    ),
  tooManyWithdrawalAddresses: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-withdrawal-addresses", {
        detail: `A user can register at most ${limit} withdrawal addresses; remove one first with DELETE /withdrawal-addresses/{id}.`
      })
    ),
  tooManyBankAccounts: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-bank-accounts", {
        detail: `A user can link at most ${limit} bank accounts; remove one first with DELETE /bank-account/{id}.`
      })
    ),
  unknownWithdrawalAddress: (id: string) =>
    new NotFound(
      body(
        baseUrl,
        404,
        "unknown-withdrawal-address",
        unknownOf("withdrawal address", id, "list the addresses with GET /withdrawal-addresses")
      )
    ),
  tooManyWebhooks: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-webhooks", {
        detail: `A user can have at most ${limit} webhooks; remove one first with DELETE /webhooks/{id}.`
      })
    ),
  unknownWebhook: (id: string) =>
    new NotFound(
      body(baseUrl, 404, "unknown-webhook", unknownOf("webhook", id, "list the webhooks with GET /webhooks"))
    ),
  unknownBankAccount: (id: string) =>
    new NotFound(
      body(baseUrl, 404, "unknown-bank-account", {
        detail: `The user has no bank account ${quoted(id)}; link one with POST /bank-account.`
      })
    ),
  bankAccountInUse: (id: string) =>
    new Conflict(
      body(baseUrl, 409, "bank-account-in-use", {
        detail: `A withdrawal to the bank account ${quoted(id)} is in flight; wait until GET /withdrawals shows the withdrawal as SETTLED or FAILED.`
      })
    )
})
