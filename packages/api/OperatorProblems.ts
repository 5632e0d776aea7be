/** Problems of the operator interface. */
import { instant } from "./Digits.ts"
import { body, Conflict, Forbidden, quoted } from "./ProblemBody.ts"

/** Begins the refusal of a decider who is not independent of the others. */
export const appointedAfter = (name: string, event: string): string =>
  `${name} was appointed, or received a token from another operator, after ${event}.`

/** Returns functions that build the operator interface's problems; the problems' URIs start with `baseUrl`. */
export const ofOperators = (baseUrl: string) => ({
  ...ofReviews(baseUrl),
  ...ofSessions(baseUrl),
  ...ofSettings(baseUrl),
  roleNeeded: (needed: string, roles: ReadonlyArray<string>) =>
    new Forbidden(
      body(baseUrl, 403, "role-needed", {
        detail: `The request requires the role ${needed}; your roles: ${roles.join(", ")}. Ask an operator with the required role to send it.`
      })
    ),
  signingKeyNotStandby: (kid: string, state: string) =>
    new Conflict(
      body(baseUrl, 409, "signing-key-not-standby", {
        detail: `The key ${quoted(kid)} is ${state}, but only a standby key can be activated; publish a new key with POST /signing-keys.`
      })
    ),
  signingKeyInUse: (kid: string) =>
    new Conflict(
      body(baseUrl, 409, "signing-key-in-use", {
        detail: `The key ${quoted(kid)} is active; activate another key first with POST /signing-keys/activate.`
      })
    ),
  signingKeyTooEarly: (readyAtMillis: number) =>
    new Conflict(
      body(baseUrl, 409, "signing-key-too-early", {
        detail: `The state of the key changed too recently; wait until ${instant(readyAtMillis)}.`
      })
    ),
  tooManyAlarmWebhooks: (limit: number) =>
    new Conflict(
      body(baseUrl, 409, "too-many-alarm-webhooks", {
        detail: `The venue can have at most ${limit} alarm webhooks; remove one first with POST /alarm-webhooks/remove.`
      })
    ),
  nodeServes: (name: string) =>
    new Conflict(
      body(baseUrl, 409, "node-serves", {
        detail: `The node ${quoted(name)} renewed its row within the last 5 s, and only a lost node can be dismissed; drain the node instead.`
      })
    ),
  notResumable: (detail: string) => new Conflict(body(baseUrl, 409, "not-resumable", { detail })),
  venueNotResumable: (detail: string) => new Conflict(body(baseUrl, 409, "venue-not-resumable", { detail })),
  noRecovery: (detail: string) => new Conflict(body(baseUrl, 409, "no-recovery", { detail })),
  symbolTrades: (detail: string) => new Conflict(body(baseUrl, 409, "symbol-trades", { detail })),
  symbolDelisted: (symbol: string) =>
    new Conflict(
      body(baseUrl, 409, "symbol-delisted", {
        detail: `${symbol} is delisted or in settlement and cannot be changed; choose another symbol.`
      })
    ),
  symbolListed: (symbol: string) =>
    new Conflict(
      body(baseUrl, 409, "symbol-listed", {
        detail: `${symbol} is already listed with different terms, and the terms of a listed symbol never change; choose another symbol, or send the terms that GET /instruments returns.`
      })
    ),
  notSplit: (detail: string) => new Conflict(body(baseUrl, 409, "not-split", { detail })),
  dividendPaid: (detail: string) => new Conflict(body(baseUrl, 409, "dividend-paid", { detail })),
  ownMoneyExists: (id: string) =>
    new Conflict(
      body(baseUrl, 409, "own-money-exists", {
        detail: `The own_money_id ${id} is already recorded with a different amount or rail; nothing was changed. Send a new own_money_id.`
      })
    ),
  topUpExists: (detail: string) => new Conflict(body(baseUrl, 409, "top-up-exists", { detail })),
  operatorExists: (name: string) =>
    new Conflict(
      body(baseUrl, 409, "operator-exists", {
        detail: `The name ${quoted(name)} belongs to a current or former operator, and names are never reused; choose another name.`
      })
    ),
  clientExists: (clientId: string) =>
    new Conflict(
      body(baseUrl, 409, "client-exists", {
        detail: `The client_id ${quoted(clientId)} is taken by a registered or disabled application; choose another client_id.`
      })
    )
})

const ofSessions = (baseUrl: string) => ({
  operatorSessionNeeded: () =>
    new Forbidden(
      body(baseUrl, 403, "second-factor-required", {
        detail:
          "The operator token requires a second factor; exchange it with a code at POST /operators/session, and send the token of the session."
      })
    ),
  factorNotEnrolled: (isNeeded: boolean) =>
    new Conflict(
      body(baseUrl, 409, "factor-not-enrolled", {
        detail: isNeeded
          ? "The operator has no second factor yet; create one with POST /operators/second-factor."
          : "The operator token requires no second factor; use the token itself."
      })
    ),
  factorEnrolled: (isNeeded: boolean) =>
    new Conflict(
      body(baseUrl, 409, "factor-enrolled", {
        detail: isNeeded
          ? "The operator's second factor is in use already; ask an admin to discard it with POST /operators/renew and second_factor true."
          : "The operator token requires no second factor; ask an admin to require one with POST /operators/renew and second_factor true."
      })
    ),
  ordersNotCancelled: (detail: string) => new Conflict(body(baseUrl, 409, "orders-not-cancelled", { detail }))
})

const ofSettings = (baseUrl: string) => ({
  settingsChanged: (version: number) =>
    new Conflict(
      body(baseUrl, 409, "settings-changed", {
        detail: `The settings are at version ${version}; read them with GET /settings, and send the change again with that version.`
      })
    ),
  adminSince: (name: string) =>
    new Conflict(
      body(baseUrl, 409, "appointed-since", {
        detail: `${appointedAfter(name, "the change was requested")} It requires 2 other admins; ask one of them to send the same change.`
      })
    ),
  nodesBehind: (names: ReadonlyArray<string>) =>
    new Conflict(
      body(baseUrl, 409, "nodes-behind", {
        detail: `${names.join(", ")} run a release that reads settings only at its start; upgrade these nodes first.`
      })
    )
})

const ofReviews = (baseUrl: string) => ({
  notHeld: (state: string) =>
    new Conflict(
      body(baseUrl, 409, "not-held", {
        detail: `The withdrawal is ${state}, but only a withdrawal that is HELD_FOR_REVIEW can be decided; read its state with GET /withdrawals/{withdrawal_id}.`
      })
    ),
  appointedSince: (name: string) =>
    new Conflict(
      body(baseUrl, 409, "appointed-since", {
        detail: `${appointedAfter(name, "the withdrawal was requested")} The decision requires 2 other treasurers; ask one of them to decide.`
      })
    ),
  notCancellable: (state: string) =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: `The withdrawal is ${state} and cannot be cancelled. Only a SUBMITTED withdrawal can be cancelled, or a QUEUED withdrawal with a reason in not_signed or with blocked true. To end a withdrawal that is HELD_FOR_REVIEW, use POST /withdrawals/reject.`
      })
    ),
  payoutMade: () =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail:
          "The payout is already queued for the bank and can no longer be cancelled; wait until it settles or fails."
      })
    ),
  cancelRequested: (by: string) =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: `${by} has already requested this cancellation; wait until the withdrawal is FAILED, or SETTLED if the payment arrives first.`
      })
    ),
  notUnmatched: (depositId: string) =>
    new Conflict(
      body(baseUrl, 409, "not-unmatched", {
        detail: `The deposit ${quoted(depositId)} already has an owner or is too recent. Assign a deposit to a user once it is CONFIRMED; book it as the venue's own money once it is final. GET /deposits/unmatched lists the deposits without an owner.`
      })
    )
})
