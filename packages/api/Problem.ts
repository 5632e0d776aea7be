/** REST refusals: problem+json bodies, one class for each status so that an endpoint declares what it may answer. */
import type { Missing } from "@venue/domain/Onboarding"
import { Schema } from "effect"
import { contentType } from "effect/http/ProblemDetails"
import { SchemaLink } from "./Body.ts"
import { instant } from "./Digits.ts"
import { missingSteps } from "./OnboardingSteps.ts"
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

/** Where a problem is explained, and in what words. */
export const pages = {
  "invalid-request": "A parameter, header or body is missing, of the wrong type or out of bounds; see errors.",
  "credentials-not-accepted":
    "The credentials are unknown, wrong, expired, revoked or were used before, or may not be used from this address.",
  "not-permitted": "The credentials do not permit this, or not on this account; detail says what is needed.",
  "appointed-since": "Two people decide about the withdrawal, who were appointed before it was asked for.",
  "not-cancellable": "No payment of the withdrawal can be cancelled; detail says why.",
  "not-held": "The withdrawal is not held for review; detail says what has become of it.",
  "not-unmatched":
    "The deposit is somebody's, or is not far enough: CONFIRMED to be assigned, final to be the venue's own.",
  "role-needed": "The operator has not the role that this needs; detail names it.",
  "account-frozen": "The account is frozen; ask the operator.",
  "second-factor-required": "The user has a second factor; sign in with it.",
  "onboarding-required": "Onboarding is incomplete; errors list the missing steps and how to take them.",
  "unknown-api-key": "The user has no such API key.",
  "too-many-api-keys": "The user has as many API keys as are allowed; revoke one first.",
  "unknown-symbol": "No instrument of that name is listed.",
  "account-not-public": "There is no such account, or its user does not show it to everybody.",
  "no-active-future": "No future prices the symbol, or its calendar has none at this time; detail says which.",
  "no-such-path": "Nothing is served at this path.",
  "method-not-allowed": "The path exists, but not with this method; see the Allow header.",
  "range-not-allowed": "The end of a range is not before its start.",
  "range-too-long":
    "A chart has so many points at most, and a search so long; detail says how long the range may be, or what " +
    "makes it shorter.",
  "offset-too-large": "A list is not told from so far down; detail says how else to come there.",
  "too-many-downloads": "A user has two files on their way at a time; wait for one to end.",
  "downloads-full": "The venue has as many files on their way as it can; try again after what Retry-After says.",
  "interval-not-offered": "Charts are not drawn in this interval; detail names those that there are.",
  "leverage-not-available": "The symbol does not offer this leverage.",
  "leverage-in-use": "Leverage is fixed while the symbol has open orders or a position.",
  "same-account": "Money is moved between two accounts that are not the same.",
  "insufficient-balance": "The account cannot give up so much; errors say how much it can.",
  "too-many-subaccounts": "The user has as many subaccounts as are allowed; none is ever removed.",
  "idempotency-key-reused": "The key was used for another request, or so long ago that nobody knows; choose a new one.",
  "unknown-invitation-code": "There is no such code, or somebody else came with it.",
  "own-invitation-code": "A user does not come with a code of their own.",
  "already-referred": "The user came with a code already, and that is for good.",
  "has-traded": "A code is redeemed before the first trade.",
  "invalid-wallet-address": "The address of a wallet is 0x and 40 hex digits; of mixed case, with the right checksum.",
  "invalid-builder-code": "A builder code is a UUID.",
  "malformed-wallet-message":
    "The wallet message is not one that GET /builder/web3/message wrote for this builder code; detail says why.",
  "wallet-authentication-failed": "Wallet authentication failed; get a new message and have it signed.",
  "no-active-builder-code": "The user owns no active builder code; the operator activates one after it was made.",
  "builder-not-loaded": "The builder could not be loaded; a builder needs a username.",
  "key-not-issued": "The key could not be issued; get a new message and try again.",
  "builder-code-exists": "The user has a builder code already.",
  "no-builder-code": "The user has no builder code.",
  "terms-not-current": "These are not the current terms; read and accept the current ones.",
  "already-verified": "The identity of the user is verified already.",
  "unknown-verification": "No verification of this reference is under way.",
  "provider-unavailable": "A service of somebody else did not answer; try again later.",
  "signing-key-not-standby": "Only a key on standby can be activated.",
  "signing-key-in-use": "The active key is not removed; activate another one first.",
  "signing-key-too-early": "The key has not been in its state for long enough.",
  "not-resumable": "A symbol trades again from cancel-only, with a fresh price and balanced books.",
  "venue-not-resumable":
    "The venue comes back one step at a time, each on a clean audit since the last; detail says what is in the way.",
  "symbol-trades": "The symbol has to be stopped first: it is done to one that does not trade.",
  "symbol-delisted": "The contract has ended, or is being settled; nothing leads back.",
  "symbol-listed": "A contract of that name is listed with other terms; tick and lot are for ever.",
  "not-split":
    "The symbol is not halted, was split for this day or a later one, or cannot be split so; detail says which.",
  "dividend-paid": "A dividend for this day or a later one was paid already; nothing was paid now.",
  "own-money-exists": "Own money of this id was of another amount or rail; nothing was noted now.",
  "top-up-exists": "A top-up of this id was of another amount; nothing was put in now.",
  "operator-exists": "A name is one person's for ever, also when they were dismissed; choose another one.",
  "client-exists": "An application of this id was registered before; it keeps its id when it is disabled.",
  "username-taken": "Somebody else has this username.",
  "invalid-network": "Money moves on ARBITRUM_ONE and on TRON.",
  "invalid-currency": "Banks move money in usd alone.",
  "invalid-payment-rail": "Money comes by ach_push, wire or fednow, and goes out by ach_push or wire.",
  "invalid-amount": "The amount is not one that can be moved so; errors say what would be.",
  "invalid-address": "The text is no address of the network, or one that nobody has the key of, such as its token's.",
  "invalid-bank-details": "The details are not those of a bank account of the user; errors say what would be right.",
  "address-not-registered": "These credentials withdraw to addresses that the user has registered, and to no other.",
  "invalid-webhook-url":
    "Messages are sent to public https addresses at port 443 or 8443; errors say what would be right.",
  "rail-not-connected": "The venue is not connected to this network or bank; detail says which.",
  "too-many-deposit-addresses":
    "The user has as many deposit addresses of a network as are allowed; none is ever taken back.",
  "too-many-withdrawal-addresses": "The user has as many withdrawal addresses as are allowed; remove one first.",
  "too-many-bank-accounts": "The user has as many linked bank accounts as are allowed; remove one first.",
  "too-many-webhooks": "The user has as many webhooks as are allowed; delete one first.",
  "unknown-webhook": "The user has no such webhook.",
  "unknown-withdrawal-address": "The user has no such withdrawal address.",
  "unknown-bank-account": "The user has no such linked bank account.",
  "bank-account-in-use": "A withdrawal to the bank account is not settled yet.",
  "body-too-large": "A request body holds at most 64 KiB.",
  "body-not-json": "The request body must be JSON, and say so in its content type.",
  "rate-exceeded": "Too many requests; wait as long as Retry-After says.",
  "too-many-sockets": "This address has as many sockets open as are allowed; close one first.",
  "venue-full": "The venue has as many sockets open as it can; try again after what Retry-After says.",
  "venue-halted": "The venue is halted and takes cancels alone; nothing was done. Try again once it trades.",
  "venue-cancel-only": "The venue takes cancels alone for now; nothing was done. Try again once it trades.",
  "withdrawals-blocked": "Nothing leaves the venue for now; nothing was taken from the account. Try again later.",
  draining: "The venue is starting, stopping or catching up; try again shortly.",
  "deadline-passed": "The outcome is unknown; read it back before trying again.",
  unexpected: "The venue failed; the outcome may be unknown."
} as const
export type Page = keyof typeof pages

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
