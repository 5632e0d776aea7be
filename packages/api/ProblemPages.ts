/** Kinds of problem by slug, each with the text of its page at `/problems/`. */

/** Text of each page: the problem and its fix. It is also the default `detail` of a problem. */
export const pages = {
  "invalid-request":
    "A parameter, header or body is missing, of the wrong type or out of bounds; correct the faults that `errors` lists.",
  "credentials-not-accepted":
    "The credentials are unknown, wrong, expired, revoked, already used, or not allowed from this address; sign in again, or sign the request again.",
  "not-permitted":
    "The credentials do not permit this operation, or do not cover this account; use credentials that do.",
  "appointed-since":
    "Only operators who were appointed before the request can decide it together with its author; `detail` names the role. Ask one of them to decide.",
  "no-recovery":
    "No loss of rows can be decided, or the operator cannot be one of the two who decide; `detail` states the reason. GET /recovery returns the present state.",
  "not-cancellable":
    "The payment of the withdrawal cannot be cancelled now; `detail` states the reason and what to do instead.",
  "settings-changed":
    "Another operator has changed settings since the given version; read them with GET /settings, then send the change again.",
  "nodes-behind":
    "A node of an older release does not follow changes while it runs; `detail` names it. Upgrade the node, then try again.",
  "not-held":
    "Only a withdrawal that is HELD_FOR_REVIEW can be decided; `detail` states its present state. Read the withdrawal with GET /withdrawals/{withdrawal_id}.",
  "not-unmatched":
    "The deposit already has an owner or is too recent. Assign a deposit to a user once it is CONFIRMED; book it as the venue's own money once it is final. GET /deposits/unmatched lists the deposits without an owner.",
  "role-needed":
    "The operator lacks the role that the request requires; `detail` states the role. Ask an admin to grant it.",
  "factor-not-enrolled":
    "The operator uses no second factor, so no code can be exchanged; `detail` states whether to create one or to use the token itself.",
  "factor-enrolled":
    "The operator already uses a second factor, or the operator token requires none; ask an admin to change this with POST /operators/renew.",
  "orders-not-cancelled":
    "The user's desk does not accept the cancellation now; `detail` states the reason. Send the request again when the reason no longer applies.",
  "account-frozen": "The operator has frozen the account; ask the operator for the reason.",
  "second-factor-required":
    "The request requires the user's second factor; sign in with the second factor, then try again.",
  "onboarding-required": "Onboarding is incomplete; complete the steps that `errors` lists, then try again.",
  "unknown-api-key": "The user has no such API key; list the keys with GET /user/api-keys.",
  "too-many-api-keys":
    "The user has the maximum number of API keys; revoke one first with DELETE /user/api-keys/{public_key}.",
  "unknown-symbol": "No instrument has this symbol; list the instruments with GET /refdata.",
  "account-not-public":
    "The account does not exist or is not public; its user can make it public by setting is_public with PATCH /user/profile.",
  "no-active-future":
    "The symbol is not priced by futures, or its calendar has no future at this time; `detail` states which. Send another symbol or time.",
  "no-such-path": "The path does not exist; GET /openapi.json lists the paths.",
  "method-not-allowed": "The path does not support this method; use a method that the Allow header lists.",
  "range-not-allowed": "The start of the range is later than its end; send a start at or before the end.",
  "range-too-long":
    "The range is longer than one chart or search can cover; `detail` states the limit. Shorten the range.",
  "offset-too-large": "The offset is above the limit, which `detail` states. Narrow the list by time instead.",
  "too-many-downloads": "A user can download at most 2 files at a time; wait until a download ends.",
  "downloads-full":
    "The gateway is already sending 8 files, its maximum; try again after the number of seconds in Retry-After.",
  "too-many-charts":
    "An IP address can request at most 8 charts of more than 1,000 windows at a time; wait until one of them is complete.",
  "charts-full":
    "The gateway is already sending its maximum number of charts of more than 1,000 windows; try again after the number of seconds in Retry-After.",
  "interval-not-offered": "The chart does not support this interval; choose an interval that `detail` lists.",
  "leverage-not-available":
    "The market does not offer this leverage; choose a whole number within the bounds that `detail` states.",
  "leverage-in-use":
    "Leverage cannot change while the account has open orders or a position in the market; cancel the orders and close the position first.",
  "same-account": "The source and the destination of a transfer are the same account; send two different accounts.",
  "insufficient-balance":
    "The amount exceeds the balance that the account can release; send at most the maximum that `errors` states.",
  "too-many-subaccounts":
    "The user has the maximum number of subaccounts, and subaccounts are never removed; use one that GET /user/subaccounts lists.",
  "idempotency-key-reused":
    "The idempotency key was used for a different request, or more than a day ago; choose a new key.",
  "unknown-invitation-code":
    "The code does not exist or was redeemed by another user; check the code, or ask for a new one.",
  "own-invitation-code": "Users cannot redeem their own codes; use the code of another user.",
  "already-referred": "The user has already redeemed an invitation code; a user can redeem only one.",
  "has-traded": "The user has already traded; send an invitation code before the first trade.",
  "invalid-wallet-address":
    "The wallet address is invalid; send 0x followed by 40 hex digits, with a valid EIP-55 checksum if they mix upper and lower case.",
  "invalid-builder-code": "The builder code is not a UUID; send the code that GET /user/builder-code returns.",
  "malformed-wallet-message":
    "The wallet message is not one that GET /builder/web3/message returned for this builder code; `detail` states the difference. Send the message unchanged.",
  "wallet-authentication-failed": "Wallet authentication failed; get a new message and sign it.",
  "no-active-builder-code":
    "The user has no active builder code; request one with POST /user/builder-code and ask the operator to activate it.",
  "builder-not-loaded":
    "The builder could not be loaded or has no username; set a username with PATCH /user/profile, or try again.",
  "key-not-issued": "The key could not be issued; get a new message with GET /builder/web3/message and try again.",
  "builder-code-exists": "The user already has a builder code; read it with GET /user/builder-code.",
  "no-builder-code": "The user has no builder code; request one with POST /user/builder-code.",
  "terms-not-current": "The terms are not current; accept the terms_version that GET /user/onboarding returns.",
  "already-verified": "The identity of the user is already verified; GET /user/onboarding lists the steps that remain.",
  "unknown-verification":
    "No open verification has this reference; send a reference that POST /user/verification returned.",
  "provider-unavailable": "The identity provider did not answer; try again later.",
  "signing-key-not-standby": "Only a standby key can be activated; publish a new key with POST /signing-keys.",
  "signing-key-in-use":
    "The active key cannot be removed; activate another key first with POST /signing-keys/activate.",
  "signing-key-too-early": "The state of the key changed too recently; wait until the time that `detail` states.",
  "not-resumable":
    "A symbol can resume only from CANCEL_ONLY, with a fresh price and balanced books; correct what `detail` states, then try again.",
  "venue-not-resumable":
    "The venue returns to normal operation one mode at a time, each after an audit without faults; correct what `detail` states, then try again.",
  "symbol-trades": "The symbol is still trading; stop trading first with POST /trading-state.",
  "symbol-delisted": "The contract is delisted or in settlement and cannot be changed; choose another symbol.",
  "symbol-listed":
    "The symbol is already listed with different terms, and the terms of a listed symbol never change; choose another symbol, or send the listed terms.",
  "not-split": "The symbol cannot be split now; `detail` states the reason and the fix.",
  "dividend-paid":
    "A dividend for this day or a later day is already paid; this request paid nothing. Send a later ex_date.",
  "own-money-exists":
    "The own_money_id is already recorded with a different amount or rail; nothing was changed. Send a new own_money_id.",
  "top-up-exists":
    "The top_up_id is already recorded with a different amount; nothing was added. Send a new top_up_id.",
  "too-many-alarm-webhooks":
    "The venue has the maximum number of alarm webhooks; remove one first with POST /alarm-webhooks/remove.",
  "node-serves": "The node serves, and only a lost node can be dismissed; drain the node instead.",
  "operator-exists":
    "The name belongs to a current or former operator, and names are never reused; choose another name.",
  "client-exists": "The client_id is taken by a registered or disabled application; choose another client_id.",
  "username-taken": "Another user has this username; choose another username.",
  "invalid-network": "The network is unknown; choose ARBITRUM_ONE or TRON.",
  "invalid-currency": "The currency is not supported by bank transfer; choose usd.",
  "invalid-payment-rail":
    "The payment rail is unknown; choose ach_push, wire or fednow for deposits, ach_push or wire for withdrawals.",
  "invalid-amount": "The amount is out of bounds; choose an amount within the bounds that `errors` states.",
  "invalid-address":
    "The address is invalid on the network, or it cannot receive withdrawals; send an address that you control.",
  "invalid-bank-details":
    "The bank details do not describe a bank account of the user; correct the members that `errors` lists.",
  "address-not-registered":
    "These credentials can withdraw only to registered addresses; register the address first with POST /withdrawal-addresses.",
  "invalid-webhook-url":
    "A webhook needs a public https URL with port 443 or 8443; correct the faults that `errors` lists.",
  "rail-not-connected":
    "The venue is not connected to this network or bank, which `detail` identifies. Choose another network or bank, or ask the operator.",
  "too-many-deposit-addresses":
    "The user has the maximum number of deposit addresses on the network, and deposit addresses are never removed; use the address that GET /address returns.",
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
    "A withdrawal to the bank account is in flight; wait until GET /withdrawals shows the withdrawal as SETTLED or FAILED.",
  "body-too-large": "The request body is larger than 64 KiB; send a smaller body.",
  "body-not-json": "The request body is not JSON; send JSON with content-type: application/json.",
  "rate-exceeded": "Too many requests; wait the number of seconds in Retry-After, then try again.",
  "too-many-sockets": "The IP address has the maximum number of open sockets; close one of them, then try again.",
  "venue-full":
    "The venue has reached its maximum number of open sockets; try again after the number of seconds in Retry-After.",
  "venue-halted":
    "The venue is halted and accepts only cancellations; the request had no effect. Try again when trading resumes.",
  "venue-cancel-only":
    "The venue currently accepts only cancellations; the request had no effect. Try again when trading resumes.",
  "withdrawals-blocked": "Withdrawals are currently blocked; nothing was taken from the account. Try again later.",
  draining: "The venue is starting, stopping or catching up; try again after the number of seconds in Retry-After.",
  "deadline-passed":
    "The venue did not answer in time, so the outcome is unknown; check the current state before you try again.",
  unexpected:
    "An internal error occurred, and the outcome might be unknown; check the current state before you try again."
} as const
/** Slug of a page; the last part of a problem's `type`. */
export type Page = keyof typeof pages
