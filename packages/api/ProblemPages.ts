/** Kinds of problem by slug, each with the text of its page at `/problems/`. */

/** Text of each page: the problem and its fix. It is also the default `detail` of a problem. */
export const pages = {
  "invalid-request":
    "A parameter, header or body is missing, of the wrong type or out of bounds; errors lists the faults to correct.",
  "credentials-not-accepted":
    "The credentials are unknown, wrong, expired, revoked, already used, or not allowed from this address; sign in or sign the request again.",
  "not-permitted": "The credentials do not permit this operation, or not on this account; use credentials that do.",
  "appointed-since":
    "The withdrawal needs two treasurers who were appointed before it was requested; ask one of them to decide.",
  "not-cancellable":
    "The payment of the withdrawal cannot be cancelled now; read the reason and the alternative in detail.",
  "not-held":
    "The withdrawal is not HELD_FOR_REVIEW; detail states its state. Read it with GET /withdrawals/{withdrawal_id}.",
  "not-unmatched":
    "The deposit already has an owner or is too new: assign it once it is CONFIRMED, book it as the venue's own once it is final. GET /deposits/unmatched lists the deposits.",
  "role-needed": "The operator lacks the role that the request needs; detail names the role. Ask an admin to grant it.",
  "account-frozen": "The operator has frozen the account; ask the operator for the reason.",
  "second-factor-required": "The user has a second factor; sign in with it.",
  "onboarding-required":
    "Onboarding is incomplete; complete the steps in errors with the calls that they name, then try again.",
  "unknown-api-key": "The user has no such API key; list the keys with GET /user/api-keys.",
  "too-many-api-keys":
    "The user has the maximum number of API keys; revoke one first with DELETE /user/api-keys/{public_key}.",
  "unknown-symbol": "No instrument has this name; list the instruments with GET /refdata.",
  "account-not-public":
    "The account does not exist or is not public; its user can set is_public with PATCH /user/profile.",
  "no-active-future":
    "The symbol is not priced by futures, or its calendar has no future at this time; detail states which. Send another symbol or time.",
  "no-such-path": "The path does not exist; GET /openapi.json lists the paths.",
  "method-not-allowed": "The path does not support this method; use a method that the Allow header lists.",
  "range-not-allowed": "The start of the range is later than its end; send a start at or before the end.",
  "range-too-long":
    "The range is longer than one chart or search can cover; detail states the limit. Shorten the range.",
  "offset-too-large": "The offset is above the limit; detail states the limit. Narrow the list by time instead.",
  "too-many-downloads": "A user downloads at most 2 files at a time; wait until a download ends.",
  "downloads-full": "The gateway sends at most 8 files at a time; try again after the seconds in Retry-After.",
  "too-many-charts":
    "An address receives at most 8 charts of more than 1,000 windows at a time; wait until a chart ends.",
  "charts-full":
    "The gateway sends the maximum number of charts of more than 1,000 windows; try again after the seconds in Retry-After.",
  "interval-not-offered": "The chart does not support this interval; choose one that `detail` lists.",
  "leverage-not-available":
    "The market does not offer this leverage; detail states the bounds. Choose a whole number within them.",
  "leverage-in-use":
    "Leverage cannot change while the account has open orders or a position in the market; cancel the orders and close the position first.",
  "same-account": "The source and the destination of a transfer are the same account; send two different accounts.",
  "insufficient-balance":
    "The amount exceeds the balance that the account can release; send at most the maximum in errors.",
  "too-many-subaccounts":
    "The user has the maximum number of subaccounts, and subaccounts are never removed; use one that GET /user/subaccounts lists.",
  "idempotency-key-reused": "The key was used for another request, or more than a day ago; choose a new key.",
  "unknown-invitation-code":
    "The code does not exist or was redeemed by another user; check it, or ask for a new code.",
  "own-invitation-code": "Users cannot redeem their own codes; use the code of another user.",
  "already-referred": "The user has already redeemed a code, and a user redeems at most one; send no further code.",
  "has-traded":
    "The user has already traded, and codes are redeemed before the first trade; send no code for this user.",
  "invalid-wallet-address":
    "The wallet address is invalid; send 0x and 40 hex digits, with a valid checksum if their case is mixed.",
  "invalid-builder-code": "The builder code is not a UUID; send the code that GET /user/builder-code shows.",
  "malformed-wallet-message":
    "The wallet message is not one that GET /builder/web3/message returned for this builder code; detail states the difference.",
  "wallet-authentication-failed": "Wallet authentication failed; get a new message and sign it.",
  "no-active-builder-code":
    "The user has no active builder code; request one with POST /user/builder-code and ask the operator to activate it.",
  "builder-not-loaded":
    "The builder could not be loaded or has no username; set a username with PATCH /user/profile, or try again.",
  "key-not-issued": "The key could not be issued; get a new message with GET /builder/web3/message and try again.",
  "builder-code-exists": "The user already has a builder code; read it with GET /user/builder-code.",
  "no-builder-code": "The user has no builder code; request one with POST /user/builder-code.",
  "terms-not-current": "The terms are not current; accept the terms_version that GET /user/onboarding shows.",
  "already-verified": "The identity of the user is already verified; GET /user/onboarding shows the missing steps.",
  "unknown-verification":
    "No open verification has this reference; send a reference that POST /user/verification returned.",
  "provider-unavailable": "The identity provider did not answer; try again later.",
  "signing-key-not-standby": "Only a standby key can be activated; publish one with POST /signing-keys.",
  "signing-key-in-use":
    "The active key cannot be removed; activate another key first with POST /signing-keys/activate.",
  "signing-key-too-early": "The key changed its state too recently; wait until the time in detail.",
  "not-resumable":
    "A symbol resumes only from CANCEL_ONLY, with a fresh price and balanced books; detail names the obstacle to remove.",
  "venue-not-resumable":
    "The venue resumes one step at a time, each after a clean audit; detail names the obstacle to remove.",
  "symbol-trades": "The symbol still trades; stop it first with POST /trading-state.",
  "symbol-delisted": "The contract is delisted or in settlement and cannot be changed; choose another symbol.",
  "symbol-listed":
    "The symbol is listed with other terms, which never change; choose another symbol, or send the listed terms.",
  "not-split": "The symbol cannot be split now; read the reason and the fix in detail, then try again.",
  "dividend-paid":
    "A dividend for this day or a later day is already paid; nothing was paid now. Send a later ex_date.",
  "own-money-exists":
    "The own_money_id is recorded with another amount or rail; nothing was changed. Send a new own_money_id.",
  "top-up-exists": "The top_up_id is recorded with another amount; nothing was added. Send a new top_up_id.",
  "operator-exists": "The name belongs to a current or former operator and is never reused; choose another name.",
  "client-exists": "The client_id is taken by a registered or disabled application; choose another client_id.",
  "username-taken": "Another user has this username; choose another username.",
  "invalid-network": "The network is unknown; choose ARBITRUM_ONE or TRON.",
  "invalid-currency": "The currency is not supported by bank transfer; choose usd.",
  "invalid-payment-rail":
    "The payment rail is unknown; choose ach_push, wire or fednow for deposits, ach_push or wire for withdrawals.",
  "invalid-amount": "The amount is out of bounds; choose an amount within the bounds in errors.",
  "invalid-address": "The address is invalid on the network, or no one holds its key; send an address of your own.",
  "invalid-bank-details":
    "The details do not describe a bank account of the user; correct the members that errors lists.",
  "address-not-registered":
    "These credentials withdraw to registered addresses only; register the address first with POST /withdrawal-addresses.",
  "invalid-webhook-url": "A webhook needs a public https URL with port 443 or 8443; correct the faults in errors.",
  "rail-not-connected":
    "The venue is not connected to this network or bank; detail names it. Choose another, or ask the operator.",
  "too-many-deposit-addresses":
    "The user has the maximum number of deposit addresses on the network, and deposit addresses are never removed; use one that GET /address shows.",
  "too-many-withdrawal-addresses":
    "The user has the maximum number of withdrawal addresses; remove one first with DELETE /withdrawal-addresses/{id}.",
  "too-many-bank-accounts":
    "The user has the maximum number of linked bank accounts; remove one first with DELETE /bank-account/{id}.",
  "too-many-webhooks": "The user has the maximum number of webhooks; remove one first with DELETE /webhooks/{id}.",
  "unknown-webhook": "The user has no such webhook; list the webhooks with GET /webhooks.",
  "unknown-withdrawal-address":
    "The user has no such withdrawal address; list the addresses with GET /withdrawal-addresses.",
  "unknown-bank-account": "The user has no such linked bank account; link one with POST /bank-account.",
  "bank-account-in-use":
    "A withdrawal to the bank account is in flight; wait until GET /withdrawals shows it settled or failed.",
  "body-too-large": "The request body is larger than 64 KiB; send a smaller body.",
  "body-not-json": "The request body is not JSON; send JSON with content-type: application/json.",
  "rate-exceeded": "Too many requests; wait the seconds in Retry-After.",
  "too-many-sockets": "The address has the maximum number of open sockets; close one of them, then try again.",
  "venue-full": "The venue has the maximum number of open sockets; try again after the seconds in Retry-After.",
  "venue-halted": "The venue is halted and accepts only cancels; nothing was done. Try again when trading resumes.",
  "venue-cancel-only": "The venue currently accepts only cancels; nothing was done. Try again when trading resumes.",
  "withdrawals-blocked": "Withdrawals are currently blocked; nothing was taken from the account. Try again later.",
  draining: "The venue is starting, stopping or catching up; try again after the seconds in Retry-After.",
  "deadline-passed":
    "The venue did not answer in time and the outcome is unknown; read the current state before you try again.",
  unexpected: "The venue failed and the outcome may be unknown; read the current state before you try again."
} as const
/** Slug of a page; the last part of a problem's `type`. */
export type Page = keyof typeof pages
