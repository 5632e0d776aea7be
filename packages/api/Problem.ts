/** REST refusals: problem+json bodies, one class for each status so that an endpoint declares what it may answer. */
import type { Missing } from "@venue/domain/Onboarding"
import { Schema } from "effect"
import { contentType } from "effect/http/ProblemDetails"
import { SchemaLink } from "./Body.ts"
import { instant } from "./Digits.ts"
import { missingSteps } from "./OnboardingSteps.ts"
import { type Page, pages } from "./ProblemPages.ts"
import { titles } from "./StatusTitle.ts"
import { occurrence, type VenueClosed } from "./VenueClosed.ts"

export const ErrorDetail = Schema.Struct({
  location: Schema.optionalKey(
    Schema.String.annotate({ description: "Place of the fault, such as `query.limit` or `body.amount`." })
  ),
  message: Schema.optionalKey(Schema.String.annotate({ description: "Fault and the value that would be right." })),
  value: Schema.optionalKey(Schema.Json.annotate({ description: "Value that was sent; left out for secrets." }))
}).annotate({ identifier: "ErrorDetail" })
export type ErrorDetail = typeof ErrorDetail.Type

export type Status = keyof typeof titles

const members = <const S extends Schema.Top>(status: S) => ({
  $schema: SchemaLink,
  type: Schema.optionalKey(
    Schema.String.annotate({
      description: "Address of the page that explains the problem.",
      format: "uri",
      default: "about:blank"
    })
  ),
  title: Schema.optionalKey(Schema.String.annotate({ description: "Name of the HTTP status." })),
  status: Schema.optionalKey(status),
  detail: Schema.optionalKey(Schema.String.annotate({ description: "Explanation of this occurrence, for people." })),
  instance: Schema.optionalKey(
    Schema.String.annotate({ description: "Identifier of this occurrence, for support.", format: "uri" })
  ),
  errors: Schema.optionalKey(
    Schema.NullOr(Schema.Array(ErrorDetail)).annotate({ description: "Faults of the request, one entry each." })
  )
})

/** This is any refusal; not one member is required of it. */
export const ErrorModel = Schema.Struct(
  members(Schema.Int.annotate({ description: "HTTP status of the answer." }))
).annotate({ identifier: "ErrorModel", description: "Refusal of a request, as in RFC 9457." })

const answer = (status: Status) =>
  ({
    httpApiStatus: status,
    description: titles[status],
    "~httpApiEncoding": { _tag: "Json", contentType }
  }) as const

export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(members(Schema.Literal(400)), answer(400)) {}
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  members(Schema.Literal(401)),
  answer(401)
) {}
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(members(Schema.Literal(403)), answer(403)) {}
export class NotFound extends Schema.Error<NotFound>("NotFound")(members(Schema.Literal(404)), answer(404)) {}
export class MethodNotAllowed extends Schema.Error<MethodNotAllowed>("MethodNotAllowed")(
  members(Schema.Literal(405)),
  answer(405)
) {}
export class Conflict extends Schema.Error<Conflict>("Conflict")(members(Schema.Literal(409)), answer(409)) {}
export class ContentTooLarge extends Schema.Error<ContentTooLarge>("ContentTooLarge")(
  members(Schema.Literal(413)),
  answer(413)
) {}
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(
  members(Schema.Literal(415)),
  answer(415)
) {}
export class UnprocessableEntity extends Schema.Error<UnprocessableEntity>("UnprocessableEntity")(
  members(Schema.Literal(422)),
  answer(422)
) {}
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(
  members(Schema.Literal(429)),
  answer(429)
) {}
export class InternalServerError extends Schema.Error<InternalServerError>("InternalServerError")(
  members(Schema.Literal(500)),
  answer(500)
) {}
export class BadGateway extends Schema.Error<BadGateway>("BadGateway")(members(Schema.Literal(502)), answer(502)) {}
export class ServiceUnavailable extends Schema.Error<ServiceUnavailable>("ServiceUnavailable")(
  members(Schema.Literal(503)),
  answer(503)
) {}
export class GatewayTimeout extends Schema.Error<GatewayTimeout>("GatewayTimeout")(
  members(Schema.Literal(504)),
  answer(504)
) {}

/** What is said about one occurrence. `detail` holds nothing of our insides, and no credential. */
export interface Occurrence {
  readonly detail?: string
  readonly errors?: ReadonlyArray<ErrorDetail>
}

/** The body of a refusal outside any endpoint; send it as `application/problem+json`. */
export const body = <const S extends Status>(baseUrl: string, status: S, page: Page, said: Occurrence = {}) => ({
  $schema: schemaUri(baseUrl, "ErrorModel"),
  type: `${baseUrl}/problems/${page}`,
  title: titles[status],
  status,
  detail: said.detail ?? pages[page],
  ...(said.errors === undefined ? {} : { errors: said.errors })
})

/** Where the schema of a body is described. */
export const schemaUri = (baseUrl: string, name: string): string => `${baseUrl}/schemas/${name}.json`

/** The refusals an endpoint may fail with, for one public address. */
export const problems = (baseUrl: string) => ({
  ...ofOperators(baseUrl),
  ...ofTreasury(baseUrl),
  invalidRequest: (errors: ReadonlyArray<ErrorDetail>) =>
    new UnprocessableEntity(body(baseUrl, 422, "invalid-request", { errors })),
  /** Of one member, whose schema cannot tell; `value` is what was sent, and nothing that is secret. */
  unfit: (location: string, message: string, value?: Schema.Json) => {
    const error = { location, message, ...(value === undefined ? {} : { value }) }
    return new UnprocessableEntity(body(baseUrl, 422, "invalid-request", { errors: [error] }))
  },
  /** `detail` is given for what the request alone shows; otherwise the words are the same, so that a caller cannot probe. */
  credentialsNotAccepted: (detail?: string) =>
    new Unauthorized(body(baseUrl, 401, "credentials-not-accepted", detail === undefined ? {} : { detail })),
  /** The same words for an account that does not exist and for another user's. */
  notPermitted: (detail?: string) =>
    new Forbidden(body(baseUrl, 403, "not-permitted", detail === undefined ? {} : { detail })),
  accountFrozen: () => new Forbidden(body(baseUrl, 403, "account-frozen")),
  secondFactorRequired: () => new Forbidden(body(baseUrl, 403, "second-factor-required")),
  onboardingRequired: (missing: ReadonlyArray<Missing>) =>
    new Forbidden(body(baseUrl, 403, "onboarding-required", { errors: missingSteps(missing) })),
  unknownApiKey: () => new NotFound(body(baseUrl, 404, "unknown-api-key")),
  tooManyApiKeys: () => new Conflict(body(baseUrl, 409, "too-many-api-keys")),
  /** Something that the body names. */
  notFound: (what: string) =>
    new NotFound({
      ...body(baseUrl, 404, "no-such-path", { detail: `There is no such ${what}.` }),
      type: "about:blank"
    }),
  /** A symbol in the path or body. */
  unknownSymbol: (symbol: string) => new NotFound(body(baseUrl, 404, "unknown-symbol", about(symbol))),
  accountNotPublic: () => new NotFound(body(baseUrl, 404, "account-not-public")),
  noActiveFuture: (detail: string) => new NotFound(body(baseUrl, 404, "no-active-future", { detail })),
  /** A symbol in a filter. */
  unknownSymbolFilter: (symbol: string) => new BadRequest(body(baseUrl, 400, "unknown-symbol", about(symbol))),
  leverageNotAvailable: (detail: string) => new BadRequest(body(baseUrl, 400, "leverage-not-available", { detail })),
  leverageInUse: (symbol: string) =>
    new Conflict(body(baseUrl, 409, "leverage-in-use", { detail: `${symbol} has open orders or a position.` })),
  sameAccount: () => new BadRequest(body(baseUrl, 400, "same-account")),
  insufficientBalance: (location: string, message: string, value: number) =>
    new BadRequest(body(baseUrl, 400, "insufficient-balance", { errors: [{ location, message, value }] })),
  tooManySubaccounts: (limit: number) =>
    new Conflict(body(baseUrl, 409, "too-many-subaccounts", { detail: `A user has at most ${limit} subaccounts.` })),
  keyReused: () =>
    new UnprocessableEntity(
      body(baseUrl, 422, "idempotency-key-reused", { errors: [{ location: "header.idempotency-key" }] })
    ),
  unknownInvitationCode: () => new NotFound(body(baseUrl, 404, "unknown-invitation-code")),
  ownInvitationCode: () => new BadRequest(body(baseUrl, 400, "own-invitation-code")),
  alreadyReferred: () => new Conflict(body(baseUrl, 409, "already-referred")),
  hasTraded: () => new Conflict(body(baseUrl, 409, "has-traded")),
  rangeNotAllowed: () => new BadRequest(body(baseUrl, 400, "range-not-allowed")),
  rangeTooLong: (detail: string) => new BadRequest(body(baseUrl, 400, "range-too-long", { detail })),
  offsetTooLarge: (detail: string) => new BadRequest(body(baseUrl, 400, "offset-too-large", { detail })),
  tooManyDownloads: () => new TooManyRequests(body(baseUrl, 429, "too-many-downloads")),
  downloadsFull: () => new ServiceUnavailable(body(baseUrl, 503, "downloads-full")),
  tooManyCharts: () => new TooManyRequests(body(baseUrl, 429, "too-many-charts")),
  chartsFull: () => new ServiceUnavailable(body(baseUrl, 503, "charts-full")),
  intervalNotOffered: (detail: string) => new BadRequest(body(baseUrl, 400, "interval-not-offered", { detail })),
  invalidWalletAddress: () => new BadRequest(body(baseUrl, 400, "invalid-wallet-address")),
  invalidBuilderCode: () => new BadRequest(body(baseUrl, 400, "invalid-builder-code")),
  malformedWalletMessage: (detail: string) =>
    new BadRequest(body(baseUrl, 400, "malformed-wallet-message", { detail })),
  /** The same words for whatever depends on trust, time or state. */
  walletAuthenticationFailed: () => new Unauthorized(body(baseUrl, 401, "wallet-authentication-failed")),
  noActiveBuilderCode: () => new Forbidden(body(baseUrl, 403, "no-active-builder-code")),
  builderNotLoaded: () => new BadGateway(body(baseUrl, 502, "builder-not-loaded")),
  keyNotIssued: () => new BadGateway(body(baseUrl, 502, "key-not-issued")),
  builderCodeExists: () => new Conflict(body(baseUrl, 409, "builder-code-exists")),
  noBuilderCode: () => new NotFound(body(baseUrl, 404, "no-builder-code")),
  termsNotCurrent: () => new Conflict(body(baseUrl, 409, "terms-not-current")),
  alreadyVerified: () => new Conflict(body(baseUrl, 409, "already-verified")),
  providerUnavailable: () => new BadGateway(body(baseUrl, 502, "provider-unavailable")),
  usernameTaken: () => new Conflict(body(baseUrl, 409, "username-taken")),
  rateExceeded: () => new TooManyRequests(body(baseUrl, 429, "rate-exceeded")),
  /** With what the operator says to traders. */
  venueClosed: (closed: VenueClosed) => new ServiceUnavailable(body(baseUrl, 503, ...occurrence(closed, pages))),
  withdrawalsBlocked: () => new ServiceUnavailable(body(baseUrl, 503, "withdrawals-blocked")),
  draining: () => new ServiceUnavailable(body(baseUrl, 503, "draining")),
  deadlinePassed: () => new GatewayTimeout(body(baseUrl, 504, "deadline-passed")),
  unexpected: () => new InternalServerError(body(baseUrl, 500, "unexpected"))
})
export type Problems = ReturnType<typeof problems>

/** Those of the operator interface. */
const ofOperators = (baseUrl: string) => ({
  notHeld: (state: string) =>
    new Conflict(body(baseUrl, 409, "not-held", { detail: `The withdrawal is ${state}, and no longer held.` })),
  appointedSince: (name: string) =>
    new Conflict(
      body(baseUrl, 409, "appointed-since", {
        detail: `${name} was appointed after this withdrawal was asked for, and it needs two people: those who were treasurers before decide about it.`
      })
    ),
  notCancellable: (state: string) =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: `The withdrawal is ${state}: it is cancelled while it is SUBMITTED, or QUEUED and refused by its rail, as not_signed tells, or QUEUED while its user or address is frozen. One that is HELD_FOR_REVIEW is rejected.`
      })
    ),
  payoutMade: () =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: "A payout that was given to the bank is not cancelled: the bank settles it or fails it."
      })
    ),
  cancelAsked: (by: string) =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: `${by} has asked for it; it has failed when the cancel is final.`
      })
    ),
  notUnmatched: () => new Conflict(body(baseUrl, 409, "not-unmatched")),
  roleNeeded: (needed: string, roles: ReadonlyArray<string>) =>
    new Forbidden(
      body(baseUrl, 403, "role-needed", { detail: `It needs the role ${needed}, and yours: ${roles.join(", ")}.` })
    ),
  signingKeyNotStandby: () => new Conflict(body(baseUrl, 409, "signing-key-not-standby")),
  signingKeyInUse: () => new Conflict(body(baseUrl, 409, "signing-key-in-use")),
  signingKeyTooEarly: (readyAtMillis: number) =>
    new Conflict(
      body(baseUrl, 409, "signing-key-too-early", { detail: `It is possible from ${instant(readyAtMillis)} on.` })
    ),
  notResumable: (detail: string) => new Conflict(body(baseUrl, 409, "not-resumable", { detail })),
  venueNotResumable: (detail: string) => new Conflict(body(baseUrl, 409, "venue-not-resumable", { detail })),
  symbolTrades: (detail: string) => new Conflict(body(baseUrl, 409, "symbol-trades", { detail })),
  symbolDelisted: (symbol: string) =>
    new Conflict(body(baseUrl, 409, "symbol-delisted", { detail: `${symbol} is delisted, or about to be.` })),
  symbolListed: (symbol: string) =>
    new Conflict(body(baseUrl, 409, "symbol-listed", { detail: `${symbol} is listed with other terms.` })),
  notSplit: (detail: string) => new Conflict(body(baseUrl, 409, "not-split", { detail })),
  dividendPaid: (detail: string) => new Conflict(body(baseUrl, 409, "dividend-paid", { detail })),
  ownMoneyExists: () => new Conflict(body(baseUrl, 409, "own-money-exists")),
  topUpExists: (detail: string) => new Conflict(body(baseUrl, 409, "top-up-exists", { detail })),
  operatorExists: () => new Conflict(body(baseUrl, 409, "operator-exists")),
  clientExists: () => new Conflict(body(baseUrl, 409, "client-exists"))
})

/** Those of money that comes in and goes out. */
const ofTreasury = (baseUrl: string) => ({
  /** Of what is moved, where to or how: the page says of which kind, and nothing that is secret is repeated. */
  invalidValue: (page: Page, errors: ReadonlyArray<ErrorDetail>) =>
    new BadRequest(body(baseUrl, 400, page, { errors })),
  /** Terms are among the missing steps. */
  termsRequired: (missing: ReadonlyArray<Missing>) =>
    new Unauthorized(body(baseUrl, 401, "onboarding-required", { errors: missingSteps(missing) })),
  addressNotRegistered: () => new Forbidden(body(baseUrl, 403, "address-not-registered")),
  railNotConnected: (rail: string) =>
    new ServiceUnavailable(
      body(baseUrl, 503, "rail-not-connected", { detail: `The venue is not connected to ${rail}.` })
    ),
  tooManyDepositAddresses: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-deposit-addresses", {
        detail: `A user has at most ${limit} addresses of a network.`
      })
    ),
  tooManyWithdrawalAddresses: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-withdrawal-addresses", { detail: `A user adds at most ${limit} addresses.` })
    ),
  tooManyBankAccounts: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-bank-accounts", { detail: `A user links at most ${limit} bank accounts.` })
    ),
  unknownWithdrawalAddress: () => new NotFound(body(baseUrl, 404, "unknown-withdrawal-address")),
  tooManyWebhooks: (limit: number) =>
    new Conflict(body(baseUrl, 409, "too-many-webhooks", { detail: `A user has at most ${limit} webhooks.` })),
  unknownWebhook: () => new NotFound(body(baseUrl, 404, "unknown-webhook")),
  unknownBankAccount: () => new NotFound(body(baseUrl, 404, "unknown-bank-account")),
  bankAccountInUse: () => new Conflict(body(baseUrl, 409, "bank-account-in-use"))
})

const about = (symbol: string): Occurrence => ({
  detail: `No instrument is listed as ${JSON.stringify(symbol.slice(0, 64))}.`
})
