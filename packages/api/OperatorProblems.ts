/** Problems of the operator interface. */
import { instant } from "./Digits.ts"
import { body, Conflict, Forbidden, quoted } from "./ProblemBody.ts"

/** Returns the operator interface's problems, for one public URL. */
export const ofOperators = (baseUrl: string) => ({
  ...ofReviews(baseUrl),
  roleNeeded: (needed: string, roles: ReadonlyArray<string>) =>
    new Forbidden(
      body(baseUrl, 403, "role-needed", {
        detail: `The request needs the role ${needed}; your roles: ${roles.join(", ")}. Ask an operator with that role.`
      })
    ),
  signingKeyNotStandby: (kid: string, state: string) =>
    new Conflict(
      body(baseUrl, 409, "signing-key-not-standby", {
        detail: `The key ${quoted(kid)} is ${state}, not standby; publish one with POST /signing-keys.`
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
        detail: `The key changed its state too recently; wait until ${instant(readyAtMillis)}.`
      })
    ),
  notResumable: (detail: string) => new Conflict(body(baseUrl, 409, "not-resumable", { detail })),
  venueNotResumable: (detail: string) => new Conflict(body(baseUrl, 409, "venue-not-resumable", { detail })),
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
        detail: `${symbol} is listed with other terms, which never change; choose another symbol, or send the terms that GET /instruments shows.`
      })
    ),
  notSplit: (detail: string) => new Conflict(body(baseUrl, 409, "not-split", { detail })),
  dividendPaid: (detail: string) => new Conflict(body(baseUrl, 409, "dividend-paid", { detail })),
  ownMoneyExists: (id: string) =>
    new Conflict(
      body(baseUrl, 409, "own-money-exists", {
        detail: `The own_money_id ${id} is recorded with another amount or rail; nothing was changed. Send a new own_money_id.`
      })
    ),
  topUpExists: (detail: string) => new Conflict(body(baseUrl, 409, "top-up-exists", { detail })),
  operatorExists: (name: string) =>
    new Conflict(
      body(baseUrl, 409, "operator-exists", {
        detail: `The name ${quoted(name)} belongs to a current or former operator and is never reused; choose another name.`
      })
    ),
  clientExists: (clientId: string) =>
    new Conflict(
      body(baseUrl, 409, "client-exists", {
        detail: `The client_id ${quoted(clientId)} is taken by a registered or disabled application; choose another client_id.`
      })
    )
})

const ofReviews = (baseUrl: string) => ({
  notHeld: (state: string) =>
    new Conflict(
      body(baseUrl, 409, "not-held", {
        detail: `The withdrawal is ${state}, not HELD_FOR_REVIEW; read it with GET /withdrawals/{withdrawal_id}.`
      })
    ),
  appointedSince: (name: string) =>
    new Conflict(
      body(baseUrl, 409, "appointed-since", {
        detail: `${name} was appointed after the withdrawal was requested; the decision needs 2 treasurers appointed before that. Ask one of them.`
      })
    ),
  notCancellable: (state: string) =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: `The withdrawal is ${state}; a cancel needs one that is SUBMITTED, or QUEUED with not_signed set or with blocked true. To end one that is HELD_FOR_REVIEW, use POST /withdrawals/reject.`
      })
    ),
  payoutMade: () =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail:
          "The payout was stored for sending to the bank, and can no longer be cancelled; wait until it settles or fails."
      })
    ),
  cancelRequested: (by: string) =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: `${by} has already requested the cancel; wait until the withdrawal is FAILED, or SETTLED if a payment arrives first.`
      })
    ),
  notUnmatched: (depositId: string) =>
    new Conflict(
      body(baseUrl, 409, "not-unmatched", {
        detail: `The deposit ${quoted(depositId)} already has an owner or is too new: assign it once it is CONFIRMED, book it as the venue's own once it is final. GET /deposits/unmatched lists the deposits.`
      })
    )
})
