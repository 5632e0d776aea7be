/** The kinds of problem that REST refusals name, each with the words of its page. */

/** Where a problem is explained, and in what words. */
export const pages = {
  "invalid-request":
    "A parameter, header or body is missing, of the wrong type or out of bounds; correct what errors name.",
  "credentials-not-accepted":
    "The credentials are unknown, wrong, expired, revoked or were used before, or may not be used from this address.",
  "not-permitted": "The credentials do not permit this, or not on this account; detail says what is needed.",
  "appointed-since":
    "Two treasurers decide about the withdrawal, each appointed before it was requested; ask one of them.",
  "not-cancellable":
    "No payment of the withdrawal can be cancelled now; detail names its state and what to do instead.",
  "not-held":
    "The withdrawal is not HELD_FOR_REVIEW; detail names its state. Read it with GET /withdrawals/{withdrawal_id}.",
  "not-unmatched":
    "The deposit has an owner already, or is not far enough: CONFIRMED to be assigned, final to be the venue's own. Read GET /deposits/unmatched.",
  "role-needed":
    "The operator lacks the role that the request needs; detail names both. Ask an admin to appoint you to it.",
  "account-frozen": "The account is frozen; ask the operator.",
  "second-factor-required": "The user has a second factor; sign in with it.",
  "onboarding-required": "Onboarding is incomplete; errors list the missing steps and how to take them.",
  "unknown-api-key": "The user has no such API key; list the keys with GET /user/api-keys.",
  "too-many-api-keys":
    "The user has as many API keys as are allowed; revoke one first with DELETE /user/api-keys/{public_key}.",
  "unknown-symbol": "No instrument has this name; list the instruments with GET /refdata.",
  "account-not-public":
    "No such account exists, or its user does not publish it; the user can set is_public with PATCH /user/profile.",
  "no-active-future":
    "The symbol is not priced by futures, or its calendar has none at this time; detail says which. Ask for another symbol or time.",
  "no-such-path": "Nothing is served at this path; see GET /openapi.json for the paths.",
  "method-not-allowed": "The path does not take this method; use one that the Allow header names.",
  "range-not-allowed": "The start of the range is later than its end; send a start that is not later than the end.",
  "range-too-long":
    "The range is longer than one chart or search can cover; detail names the limit. Shorten the range.",
  "offset-too-large": "The offset is above the limit; detail names it. Narrow the list by time instead.",
  "too-many-downloads": "A user downloads at most 2 files at a time; wait for one to end.",
  "downloads-full": "The gateway sends at most 8 files at a time; try again after the seconds in Retry-After.",
  "too-many-charts":
    "An address receives at most eight charts of more than 1,000 windows at a time; wait for one to end.",
  "charts-full":
    "The gateway sends as many charts of more than 1,000 windows as it can; try again after the seconds in Retry-After.",
  "interval-not-offered": "Charts do not have this interval; detail lists those that they have. Choose one of them.",
  "leverage-not-available":
    "The market does not offer this leverage; detail names the bounds. Choose a whole number within them.",
  "leverage-in-use":
    "Leverage is fixed while the account has open orders or a position in the market; cancel the orders and close the position first.",
  "same-account": "The source and the destination of a transfer are the same account; send two different accounts.",
  "insufficient-balance":
    "The account cannot release this amount; errors name the most that it can. Send no more than that.",
  "too-many-subaccounts":
    "The user has as many subaccounts as are allowed; use one of GET /user/subaccounts, as none is ever removed.",
  "idempotency-key-reused":
    "The key was used for another request, or is older than the keys the venue keeps; choose a new one.",
  "unknown-invitation-code":
    "The code does not exist or was redeemed by somebody else; check it, or ask for another one.",
  "own-invitation-code": "Users cannot redeem codes of their own; use the code of another user.",
  "already-referred": "The user has redeemed a code before, and a user redeems at most 1; send no further code.",
  "has-traded": "The user has traded, and a code is redeemed before the first trade; send no code for this user.",
  "invalid-wallet-address":
    "The address is not one of a wallet; send 0x and 40 hex digits, with the right checksum where their case is mixed.",
  "invalid-builder-code": "The builder code is not a UUID; send the one that GET /user/builder-code shows.",
  "malformed-wallet-message":
    "The wallet message is not one that GET /builder/web3/message wrote for this builder code; detail says why.",
  "wallet-authentication-failed": "Wallet authentication failed; get a new message and have it signed.",
  "no-active-builder-code":
    "The user owns no active builder code; request one with POST /user/builder-code, and have the operator activate it.",
  "builder-not-loaded":
    "The builder could not be loaded, or has no username; set one with PATCH /user/profile, or try again.",
  "key-not-issued": "The key could not be issued; get a new message with GET /builder/web3/message and try again.",
  "builder-code-exists": "The user has a builder code already; read it with GET /user/builder-code.",
  "no-builder-code": "The user has no builder code; request one with POST /user/builder-code.",
  "terms-not-current":
    "These are not the current terms; read their version with GET /user/onboarding and accept that one.",
  "already-verified":
    "The identity of the user is verified already; send no further verification. GET /user/onboarding shows what is missing.",
  "unknown-verification":
    "No verification with this reference is open; send a reference that POST /user/verification started.",
  "provider-unavailable": "The identity provider did not answer; try again later.",
  "signing-key-not-standby": "Only a key on standby can be activated; publish one with POST /signing-keys.",
  "signing-key-in-use":
    "The active key cannot be removed; activate another one first with POST /signing-keys/activate.",
  "signing-key-too-early": "The key has not been in its state long enough; wait until the time in detail.",
  "not-resumable":
    "A symbol resumes from CANCEL_ONLY, with a fresh price and balanced books; detail names the obstacle. Remove it and try again.",
  "venue-not-resumable":
    "The venue resumes one step at a time, each after a clean audit since the last; detail names the obstacle. Remove it and try again.",
  "symbol-trades": "The symbol still trades; stop it first with POST /trading-state.",
  "symbol-delisted": "The contract has ended or is in settlement, and cannot be changed; choose another symbol.",
  "symbol-listed":
    "A contract of this name is listed with other terms, which never change; choose another name, or send the listed terms.",
  "not-split": "The symbol cannot be split now; detail names the reason and what to do.",
  "dividend-paid":
    "A dividend for this day or a later one was paid already; nothing was paid now. Send a later ex_date.",
  "own-money-exists":
    "Own money with this own_money_id was recorded with another amount or rail; nothing was recorded now. Send a new own_money_id.",
  "top-up-exists": "A top-up with this top_up_id had another amount; nothing was added now. Send a new top_up_id.",
  "operator-exists": "The name belongs to an operator, present or former, and is never reused; choose another one.",
  "client-exists":
    "An application with this client_id was registered before, and a disabled one keeps its id; choose another one.",
  "username-taken": "Another user has this username; choose another one.",
  "invalid-network": "The network is unknown; choose ARBITRUM_ONE or TRON.",
  "invalid-currency": "The currency is not moved by bank; choose usd.",
  "invalid-payment-rail":
    "The payment rail is unknown; choose ach_push, wire or fednow for deposits, ach_push or wire for withdrawals.",
  "invalid-amount": "The amount cannot be moved; errors name the bounds. Choose an amount within them.",
  "invalid-address":
    "The text is not an address of the network, or one that nobody holds the key of; send an address of your own.",
  "invalid-bank-details":
    "The details are not those of a bank account of the user; correct the members that errors name.",
  "address-not-registered":
    "These credentials withdraw to registered addresses only; register the address first with POST /withdrawal-addresses.",
  "invalid-webhook-url": "Webhooks go to public https addresses at port 443 or 8443; correct what errors name.",
  "rail-not-connected":
    "The venue is not connected to this network or bank; detail names it. Choose another one, or ask the operator.",
  "too-many-deposit-addresses":
    "The user has as many deposit addresses of the network as are allowed; use one of GET /address, as none is ever removed.",
  "too-many-withdrawal-addresses":
    "The user has as many withdrawal addresses as are allowed; remove one first with DELETE /withdrawal-addresses/{id}.",
  "too-many-bank-accounts":
    "The user has as many linked bank accounts as are allowed; remove one first with DELETE /bank-account/{id}.",
  "too-many-webhooks": "The user has as many webhooks as are allowed; remove one first with DELETE /webhooks/{id}.",
  "unknown-webhook": "The user has no such webhook; list the webhooks with GET /webhooks.",
  "unknown-withdrawal-address":
    "The user has no such withdrawal address; list the addresses with GET /withdrawal-addresses.",
  "unknown-bank-account": "The user has no such linked bank account; link one with POST /bank-account.",
  "bank-account-in-use":
    "A withdrawal to the bank account is not settled yet; wait until GET /withdrawals shows it settled or failed.",
  "body-too-large": "The request body is larger than 64 KiB; send a smaller one.",
  "body-not-json": "The request body is not JSON; send JSON with content-type: application/json.",
  "rate-exceeded": "Too many requests; wait the seconds that Retry-After names.",
  "too-many-sockets": "The address has as many sockets open as are allowed; close one first.",
  "venue-full": "The venue has as many sockets open as it can; try again after the seconds in Retry-After.",
  "venue-halted": "The venue is halted and accepts only cancels; nothing was done. Try again once it trades.",
  "venue-cancel-only": "The venue accepts only cancels for now; nothing was done. Try again once it trades.",
  "withdrawals-blocked": "Withdrawals are blocked for now; nothing was taken from the account. Try again later.",
  draining: "The venue is starting, stopping or catching up; try again after the seconds in Retry-After.",
  "deadline-passed": "The venue did not answer in time, and the outcome is unknown; read it back before you try again.",
  unexpected: "The venue failed, and the outcome may be unknown; read it back before you try again."
} as const
export type Page = keyof typeof pages
