/** Refusals of the operator interface. */
import { instant } from "./Digits.ts"
import { body, Conflict, Forbidden, quoted } from "./ProblemBody.ts"

export const ofOperators = (baseUrl: string) => ({
  ...ofReviews(baseUrl),
  roleNeeded: (needed: string, roles: ReadonlyArray<string>) =>
    new Forbidden(
      body(baseUrl, 403, "role-needed", {
        detail: `The request needs the role ${needed}, and yours: ${roles.join(", ")}. Ask an operator who has it.`
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
        detail: `The key ${quoted(kid)} is active; activate another one first with POST /signing-keys/activate.`
      })
    ),
  signingKeyTooEarly: (readyAtMillis: number) =>
    new Conflict(
      body(baseUrl, 409, "signing-key-too-early", {
        detail: `The key has not been in its state long enough; wait until ${instant(readyAtMillis)}.`
      })
    ),
  notResumable: (detail: string) => new Conflict(body(baseUrl, 409, "not-resumable", { detail })),
  venueNotResumable: (detail: string) => new Conflict(body(baseUrl, 409, "venue-not-resumable", { detail })),
  symbolTrades: (detail: string) => new Conflict(body(baseUrl, 409, "symbol-trades", { detail })),
  symbolDelisted: (symbol: string) =>
    new Conflict(
      body(baseUrl, 409, "symbol-delisted", {
        detail: `${symbol} is delisted or in settlement, and cannot be changed; choose another symbol.`
      })
    ),
  symbolListed: (symbol: string) =>
    new Conflict(
      body(baseUrl, 409, "symbol-listed", {
        detail: `${symbol} is listed with other terms, which never change; choose another name, or send the terms of GET /instruments.`
      })
    ),
  notSplit: (detail: string) => new Conflict(body(baseUrl, 409, "not-split", { detail })),
  dividendPaid: (detail: string) => new Conflict(body(baseUrl, 409, "dividend-paid", { detail })),
  ownMoneyExists: (id: string) =>
    new Conflict(
      body(baseUrl, 409, "own-money-exists", {
        detail: `The own_money_id ${id} was recorded with another amount or rail; nothing was recorded now. Send a new own_money_id.`
      })
    ),
  topUpExists: (detail: string) => new Conflict(body(baseUrl, 409, "top-up-exists", { detail })),
  operatorExists: (name: string) =>
    new Conflict(
      body(baseUrl, 409, "operator-exists", {
        detail: `The name ${quoted(name)} belongs to an operator, present or former, and is never reused; choose another one.`
      })
    ),
  clientExists: (clientId: string) =>
    new Conflict(
      body(baseUrl, 409, "client-exists", {
        detail: `The client_id ${quoted(clientId)} was registered before, and a disabled client keeps it; choose another one.`
      })
    )
})

/** Refusals about withdrawals and deposits that an operator decides about. */
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
        detail: `${name} was appointed after the withdrawal was requested, and it needs 2 treasurers appointed before; ask one of them to decide.`
      })
    ),
  notCancellable: (state: string) =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: `The withdrawal is ${state}: cancel one that is SUBMITTED, or QUEUED with not_signed set, or QUEUED while its user or address is frozen. Reject one that is HELD_FOR_REVIEW with POST /withdrawals/reject.`
      })
    ),
  payoutMade: () =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: "The bank has taken the payout, which cannot be cancelled: wait until the bank settles or fails it."
      })
    ),
  cancelAsked: (by: string) =>
    new Conflict(
      body(baseUrl, 409, "not-cancellable", {
        detail: `${by} has requested the cancel already; wait until it is final and the withdrawal FAILED.`
      })
    ),
  notUnmatched: (depositId: string) =>
    new Conflict(
      body(baseUrl, 409, "not-unmatched", {
        detail: `The deposit ${quoted(depositId)} has an owner already, or is not far enough: CONFIRMED to be assigned, final to be the venue's own. Read GET /deposits/unmatched.`
      })
    )
})
