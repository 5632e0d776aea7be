/** Problems that an endpoint can return: one function for each kind. */
import type { Missing } from "@venue/domain/Onboarding"
import type { Schema } from "effect"
import { instant } from "./Digits.ts"
import { missingSteps } from "./OnboardingSteps.ts"
import { ofOperators } from "./OperatorProblems.ts"
import {
  about,
  BadGateway,
  BadRequest,
  Conflict,
  Forbidden,
  GatewayTimeout,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  UnprocessableEntity,
  body,
  type ErrorDetail,
  quoted,
  rateSpent,
  unknownOf
} from "./ProblemBody.ts"
import { pages } from "./ProblemPages.ts"
import { ofTreasury } from "./TreasuryProblems.ts"
import { occurrence, type VenueClosed } from "./VenueClosed.ts"

export * from "./ProblemBody.ts"

/** Returns the functions that build problems; the problems' URIs start with `baseUrl`. */
export const problems = (baseUrl: string) => ({
  ...ofOperators(baseUrl),
  ...ofTreasury(baseUrl),
  ...ofUsers(baseUrl),
  ...ofMarkets(baseUrl),
  invalidRequest: (errors: ReadonlyArray<ErrorDetail>) =>
    new UnprocessableEntity(body(baseUrl, 422, "invalid-request", { errors })),
  /** One fault that the schema cannot detect; `value` is the value sent, omitted for a secret. */
  unfit: (location: string, message: string, value?: Schema.Json) => {
    const error = { location, message, ...(value === undefined ? {} : { value }) }
    return new UnprocessableEntity(body(baseUrl, 422, "invalid-request", { errors: [error] }))
  },
  /**
   * `detail` must state only facts that the request itself shows, so that no caller can use it to probe for
   * credentials.
   */
  credentialsNotAccepted: (detail?: string) =>
    new Unauthorized(body(baseUrl, 401, "credentials-not-accepted", detail === undefined ? {} : { detail })),
  /** The text is the same for an unknown account and for another user's account. */
  notPermitted: (detail?: string) =>
    new Forbidden(body(baseUrl, 403, "not-permitted", detail === undefined ? {} : { detail })),
  accountFrozen: () => new Forbidden(body(baseUrl, 403, "account-frozen")),
  secondFactorRequired: () => new Forbidden(body(baseUrl, 403, "second-factor-required")),
  onboardingRequired: (missing: ReadonlyArray<Missing>) =>
    new Forbidden(body(baseUrl, 403, "onboarding-required", { errors: missingSteps(missing) })),
  /** The object in the path or body is unknown; `fix` states what to do instead. */
  notFound: (what: string, value: string, fix: string) =>
    new NotFound({
      ...body(baseUrl, 404, "no-such-path", { detail: `No ${what} ${quoted(value)} exists; ${fix}.` }),
      type: "about:blank"
    }),
  keyReused: () =>
    new UnprocessableEntity(
      body(baseUrl, 422, "idempotency-key-reused", {
        errors: [
          { location: "header.idempotency-key", message: "Expected a key that was not used for a different request" }
        ]
      })
    ),
  rateExceeded: (waitMillis: number, capacity?: number) =>
    new TooManyRequests(body(baseUrl, 429, "rate-exceeded", rateSpent(waitMillis, capacity))),
  /** Includes the operator's text for traders. */
  venueClosed: (closed: VenueClosed) => new ServiceUnavailable(body(baseUrl, 503, ...occurrence(closed, pages))),
  withdrawalsBlocked: () => new ServiceUnavailable(body(baseUrl, 503, "withdrawals-blocked")),
  draining: () => new ServiceUnavailable(body(baseUrl, 503, "draining")),
  notReady: (reason: string) => new ServiceUnavailable(notReady(baseUrl, reason)),
  deadlinePassed: () => new GatewayTimeout(body(baseUrl, 504, "deadline-passed")),
  unexpected: () => new InternalServerError(body(baseUrl, 500, "unexpected"))
})
/** Body of a failed readiness check. `reason` is a sentence. */
export const notReady = (baseUrl: string, reason: string) =>
  body(baseUrl, 503, "draining", { detail: `${reason} Use another gateway, or try again after Retry-After.` })

/** Functions that build problems whose URIs start with the same public URL. */
export type Problems = ReturnType<typeof problems>

const ofUsers = (baseUrl: string) => ({
  unknownApiKey: (publicKey: string) =>
    new NotFound(
      body(
        baseUrl,
        404,
        "unknown-api-key",
        unknownOf("API key", publicKey, "list the API keys with GET /user/api-keys")
      )
    ),
  tooManyApiKeys: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-api-keys", {
        detail: `A user can have at most ${limit} API keys; revoke one first with DELETE /user/api-keys/{public_key}.`
      })
    ),
  unknownInvitationCode: (code: string) =>
    new NotFound(
      body(baseUrl, 404, "unknown-invitation-code", {
        detail: `The code ${quoted(code)} does not exist or was redeemed by another user; check the code, or ask for a new one.`
      })
    ),
  ownInvitationCode: () => new BadRequest(body(baseUrl, 400, "own-invitation-code")),
  alreadyReferred: () => new Conflict(body(baseUrl, 409, "already-referred")),
  hasTraded: () => new Conflict(body(baseUrl, 409, "has-traded")),
  invalidWalletAddress: (address: string) =>
    new BadRequest(
      body(baseUrl, 400, "invalid-wallet-address", {
        detail: `Expected 0x followed by 40 hex digits, with a valid EIP-55 checksum if they mix upper and lower case; got ${quoted(address)}.`
      })
    ),
  invalidBuilderCode: (code: string) =>
    new BadRequest(
      body(baseUrl, 400, "invalid-builder-code", {
        detail: `Expected the UUID that GET /user/builder-code returns; got ${quoted(code)}.`
      })
    ),
  malformedWalletMessage: (detail: string) =>
    new BadRequest(body(baseUrl, 400, "malformed-wallet-message", { detail })),
  /** The text is the same for every failure that depends on trust, time or state. */
  walletAuthenticationFailed: () => new Unauthorized(body(baseUrl, 401, "wallet-authentication-failed")),
  noActiveBuilderCode: () => new Forbidden(body(baseUrl, 403, "no-active-builder-code")),
  builderNotLoaded: (detail: string) => new BadGateway(body(baseUrl, 502, "builder-not-loaded", { detail })),
  keyNotIssued: () => new BadGateway(body(baseUrl, 502, "key-not-issued")),
  builderCodeExists: () => new Conflict(body(baseUrl, 409, "builder-code-exists")),
  noBuilderCode: () => new NotFound(body(baseUrl, 404, "no-builder-code")),
  termsNotCurrent: (sent: string) =>
    new Conflict(
      body(baseUrl, 409, "terms-not-current", {
        detail: `The terms_version ${quoted(sent)} is not current; accept the terms_version that GET /user/onboarding returns.`
      })
    ),
  alreadyVerified: () => new Conflict(body(baseUrl, 409, "already-verified")),
  providerUnavailable: () => new BadGateway(body(baseUrl, 502, "provider-unavailable")),
  usernameTaken: (username: string) =>
    new Conflict(
      body(baseUrl, 409, "username-taken", {
        detail: `Another user has the username ${quoted(username)}; choose another username.`
      })
    )
})

const ofMarkets = (baseUrl: string) => ({
  /** Unknown symbol in the path or body: 404. */
  unknownSymbol: (symbol: string) => new NotFound(body(baseUrl, 404, "unknown-symbol", about(symbol))),
  /** The text is the same for an unknown account and for a private account. */
  accountNotPublic: () => new NotFound(body(baseUrl, 404, "account-not-public")),
  noActiveFuture: (detail: string) => new NotFound(body(baseUrl, 404, "no-active-future", { detail })),
  /** Unknown symbol in a filter: 400. */
  unknownSymbolFilter: (symbol: string) => new BadRequest(body(baseUrl, 400, "unknown-symbol", about(symbol))),
  leverageNotAvailable: (detail: string) => new BadRequest(body(baseUrl, 400, "leverage-not-available", { detail })),
  leverageInUse: (symbol: string) =>
    new Conflict(
      body(baseUrl, 409, "leverage-in-use", {
        detail: `The account has open orders or a position in ${symbol}; cancel the orders and close the position first.`
      })
    ),
  sameAccount: (accountId: string) =>
    new BadRequest(
      body(baseUrl, 400, "same-account", {
        detail: `src_account_id and dst_account_id are both ${accountId}; send two different accounts.`
      })
    ),
  insufficientBalance: (location: string, message: string, value: number) =>
    new BadRequest(body(baseUrl, 400, "insufficient-balance", { errors: [{ location, message, value }] })),
  tooManySubaccounts: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-subaccounts", {
        detail: `A user can have at most ${limit} subaccounts, and subaccounts are never removed; use one that GET /user/subaccounts lists.`
      })
    ),
  rangeNotAllowed: (startMillis: number, endMillis: number) =>
    new BadRequest(
      body(baseUrl, 400, "range-not-allowed", {
        detail: `The start of the range, ${instant(startMillis)}, is later than its end, ${instant(endMillis)}; send a start at or before the end.`
      })
    ),
  rangeTooLong: (detail: string) => new BadRequest(body(baseUrl, 400, "range-too-long", { detail })),
  offsetTooLarge: (detail: string) => new BadRequest(body(baseUrl, 400, "offset-too-large", { detail })),
  tooManyDownloads: (limit: number) =>
    new TooManyRequests(
      body(baseUrl, 429, "too-many-downloads", {
        detail: `A user can download at most ${limit} files at a time; wait until a download ends.`
      })
    ),
  downloadsFull: (limit: number) =>
    new ServiceUnavailable(
      body(baseUrl, 503, "downloads-full", {
        detail: `The gateway is already sending ${limit} files, its maximum; try again after the number of seconds in Retry-After.`
      })
    ),
  tooManyCharts: () => new TooManyRequests(body(baseUrl, 429, "too-many-charts")),
  chartsFull: () => new ServiceUnavailable(body(baseUrl, 503, "charts-full")),
  intervalNotOffered: (detail: string) => new BadRequest(body(baseUrl, 400, "interval-not-offered", { detail }))
})
