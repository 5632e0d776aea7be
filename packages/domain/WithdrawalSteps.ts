/** State machine of a withdrawal after its debit: states, commands and recorded changes (rule 18). */
import { Equal, Result, Schema } from "effect"
import type { Ending, WithdrawalAccepted, WithdrawalState } from "./Withdrawal.ts"
import * as Transitions from "./Transitions.ts"
import type { EndReason, PaymentObstacle } from "./TreasuryReason.ts"

/**
 *     ACCEPTED → QUEUED ──────────────→ SUBMITTED → SETTLED
 *         ↓        ↑                        ↓
 *     HELD_FOR_REVIEW → REJECTED          FAILED
 *
 * All transitions of a withdrawal, each with its change. A withdrawal enters each state at most once. Every other
 * change leaves the state as it is.
 */
export const transitions: ReadonlyArray<Transitions.Transition<WithdrawalState, WithdrawalChange["_tag"]>> = [
  { from: "ACCEPTED", change: "Queued", to: "QUEUED" },
  { from: "ACCEPTED", change: "Held", to: "HELD_FOR_REVIEW" },
  { from: "HELD_FOR_REVIEW", change: "Approved", to: "QUEUED" },
  { from: "HELD_FOR_REVIEW", change: "Returned", to: "REJECTED" },
  { from: "QUEUED", change: "Submitted", to: "SUBMITTED" },
  { from: "SUBMITTED", change: "Settled", to: "SETTLED" },
  { from: "SUBMITTED", change: "Returned", to: "FAILED" }
]

const { stateAfter, stepOf } = Transitions.of("withdrawal", transitions)

/** Returns the only state from which the gross amount can be returned with this ending. */
export const stateBeforeReturn = (ending: Ending): WithdrawalState =>
  transitions.find(({ change, to }) => change === "Returned" && to === ending)!.from

/** States in which a withdrawal's payment is or will be signed. */
export const payableStates = ["QUEUED", "SUBMITTED"] as const satisfies ReadonlyArray<WithdrawalState>

/** States without an outgoing transition. */
export const finalStates: ReadonlyArray<WithdrawalState> = [...new Set(transitions.map(({ to }) => to))].filter(
  (state) => transitions.every(({ from }) => from !== state)
)

/** State of a withdrawal that can change after its debit. Times are Unix milliseconds. */
export interface Progress {
  readonly withdrawalId: string
  readonly state: WithdrawalState
  /** Number of the newest transition; ACCEPTED is number 1. */
  readonly step: number
  /**
   * Number of stored changes. A change is stored only if this number has stayed the same since the change was
   * decided.
   */
  readonly version: number
  readonly updatedAtMillis: number
  /**
   * Time that determines the place in the queue; each refusal moves the withdrawal to the end. Null if it was never
   * queued.
   */
  readonly queuedAtMillis: number | null
  /**
   * Requested final state; after it is set, only the return of the money can follow. Null while the outcome is open.
   */
  readonly ending: Ending | null
  readonly endedBy: string | null
  readonly reason: EndReason | null
  /** Transaction hash or bank reference of the newest payment. */
  readonly reference: string | null
  /** Number under which the payment is signed: the nonce, if the rail has nonces. Null before SUBMITTED. */
  readonly sequence: number | null
  /** Number of stored payments, cancels included. */
  readonly attempts: number
  /** Time of the first refusal to sign since the last success; null while signing is not refused. */
  readonly refusedAtMillis: number | null
  readonly refusal: PaymentObstacle | null
  /** Operator who requested a cancel of the payment; null without a request. */
  readonly cancelledBy: string | null
  readonly cancelReason: string | null
}

/** Purpose of a signed payment. A cancel uses up the withdrawal's number without paying the withdrawal. */
export type Purpose = "pay" | "cancel"

/**
 * Number of stored payments when the outcome was read. The command is refused if another payment has been stored
 * since. Absent if no outcome was read.
 */
interface ReadFrom {
  readonly attempts?: number
}

interface Changes {
  /** From HELD_FOR_REVIEW to QUEUED. */
  readonly Approve: { readonly by: string }
  /** From QUEUED to SUBMITTED, under a number that no other withdrawal of the rail has. Nothing is signed yet. */
  readonly Submit: { readonly purpose: Purpose; readonly sequence: number; readonly by: string }
  /** The next payment of a SUBMITTED withdrawal was signed. */
  readonly StoreAttempt: { readonly attempt: number; readonly purpose: Purpose; readonly reference: string }
  /** The payment cannot be signed in its current form, and an operator must act. */
  readonly RecordRefusal: { readonly refusal: PaymentObstacle }
  /** An operator requests that the number be used up without a payment. */
  readonly RequestCancel: { readonly by: string; readonly reason: string }
  /** Requests the final state, after which only the return of the money can follow. */
  readonly RequestEnd: ReadFrom & {
    readonly ending: Ending
    readonly by: string
    readonly reason: EndReason
    /** Transaction hash or bank reference with which the withdrawal ended; null if the rail supplies none. */
    readonly reference: string | null
  }
  readonly Settle: ReadFrom & { readonly by: string; readonly reference: string }
  /** The gross amount was credited to the trader again. */
  readonly Return: { readonly ending: Ending }
}

/** Request to change a withdrawal. */
export type WithdrawalCommand = {
  readonly [Tag in keyof Changes]: { readonly _tag: Tag } & Changes[Tag]
}[keyof Changes]

/** Recorded change to a withdrawal. */
export type WithdrawalChange = { readonly atMillis: number } & (
  | { readonly _tag: "Queued" | "Held"; readonly by: string }
  | ({ readonly _tag: "Approved" } & Changes["Approve"])
  | ({ readonly _tag: "Submitted" } & Changes["Submit"])
  | ({ readonly _tag: "AttemptStored" } & Changes["StoreAttempt"])
  | ({ readonly _tag: "RefusalRecorded" } & Changes["RecordRefusal"])
  /** The refusal is the same as before, so the withdrawal only moves to the end of the queue. */
  | { readonly _tag: "Requeued" }
  | ({ readonly _tag: "CancelRequested" } & Changes["RequestCancel"])
  | ({ readonly _tag: "EndRequested" } & Changes["RequestEnd"])
  | ({ readonly _tag: "Settled" } & Changes["Settle"])
  | ({ readonly _tag: "Returned"; readonly by: string } & Changes["Return"])
)

/** The command is invalid in the withdrawal's current or pending state, so nothing was changed. */
export class WithdrawalStepRefused extends Schema.TaggedError<WithdrawalStepRefused>()("WithdrawalStepRefused", {
  withdrawalId: Schema.String,
  command: Schema.String,
  state: Schema.String
}) {}

/** An operator has already requested a cancel of this withdrawal, so nothing was changed. */
export class CancelPending extends Schema.TaggedError<CancelPending>()("CancelPending", {
  withdrawalId: Schema.String,
  by: Schema.String
}) {}

export type WithdrawalRefusal = WithdrawalStepRefused | CancelPending

/** Returns a withdrawal right after its debit, before the step to QUEUED or HELD_FOR_REVIEW. */
export const accepted = (withdrawalId: string, atMillis: number): Progress => ({
  withdrawalId,
  state: "ACCEPTED",
  step: 1,
  version: 0,
  updatedAtMillis: atMillis,
  queuedAtMillis: null,
  ending: null,
  endedBy: null,
  reason: null,
  reference: null,
  sequence: null,
  attempts: 0,
  refusedAtMillis: null,
  refusal: null,
  cancelledBy: null,
  cancelReason: null
})

/** Returns the change that follows the debit in the same commit. */
export const changeOfAccepted = ({ reasons }: Pick<WithdrawalAccepted, "reasons">): "Queued" | "Held" =>
  reasons.length === 0 ? "Queued" : "Held"

/** Returns the state that follows ACCEPTED in the same commit. */
export const stateOfAccepted = (event: Pick<WithdrawalAccepted, "reasons">): WithdrawalState =>
  stateAfter("ACCEPTED", changeOfAccepted(event))!

/**
 * Decides a command without changing anything; an empty list means that the command has no effect. `isBlocked` is
 * true while user or destination is frozen, or while a deposit credited to the user is missing from its chain.
 */
export const decide = (
  withdrawal: Progress & { readonly isBlocked: boolean },
  command: WithdrawalCommand,
  atMillis: number
): Result.Result<ReadonlyArray<WithdrawalChange>, WithdrawalRefusal> => {
  const { attempts, cancelledBy, ending, isBlocked, refusal, state, withdrawalId } = withdrawal
  const refused = Result.fail(
    new WithdrawalStepRefused({ withdrawalId, command: command._tag, state: ending ?? state })
  )
  const recordedIf = (isAllowed: boolean, change: WithdrawalChange) => (isAllowed ? Result.succeed([change]) : refused)
  const leads = (change: WithdrawalChange["_tag"]) => stateAfter(state, change) !== undefined
  const isCurrent = ({ attempts: readFrom = attempts }: ReadFrom) => readFrom === attempts
  // After a request to end, only the return of the money can follow.
  if (ending !== null && command._tag !== "Return") return refused
  switch (command._tag) {
    case "Approve":
      return recordedIf(leads("Approved"), { ...command, _tag: "Approved", atMillis })
    case "Submit": {
      // A caller that has not seen the cancel request would still pay the withdrawal, so its command is refused.
      const isWanted = command.purpose === "cancel" ? cancelledBy !== null : cancelledBy === null && !isBlocked
      return recordedIf(isWanted && leads("Submitted"), { ...command, _tag: "Submitted", atMillis })
    }
    case "StoreAttempt": {
      const isWanted = command.attempt === attempts + 1 && (command.purpose === "cancel" || cancelledBy === null)
      return recordedIf(isWanted && state === "SUBMITTED", { ...command, _tag: "AttemptStored", atMillis })
    }
    case "RecordRefusal":
      if (!isPayable(state)) return refused
      if (!Equal.equals(refusal, command.refusal))
        return Result.succeed([{ ...command, _tag: "RefusalRecorded", atMillis }])
      return Result.succeed(state === "QUEUED" ? [{ _tag: "Requeued", atMillis }] : [])
    case "RequestCancel": {
      if (isPayable(state) && cancelledBy !== null)
        return Result.fail(new CancelPending({ withdrawalId, by: cancelledBy }))
      // A queued withdrawal that is neither refused nor blocked is submitted soon, so it cannot be cancelled.
      const isStuck = state === "QUEUED" && (refusal !== null || isBlocked)
      return recordedIf(state === "SUBMITTED" || isStuck, { ...command, _tag: "CancelRequested", atMillis })
    }
    case "RequestEnd":
      return recordedIf(stateBeforeReturn(command.ending) === state && isCurrent(command), {
        ...command,
        _tag: "EndRequested",
        atMillis
      })
    case "Settle":
      return recordedIf(leads("Settled") && isCurrent(command), { ...command, _tag: "Settled", atMillis })
    case "Return": {
      const isDue = ending === command.ending && stateAfter(state, "Returned") === ending
      return recordedIf(isDue, { ...command, _tag: "Returned", by: withdrawal.endedBy ?? "", atMillis })
    }
  }
}

/** Returns the withdrawal after a recorded change. Throws if the change is not among the transitions. */
export const apply = <W extends Progress>(withdrawal: W, change: WithdrawalChange): W => ({
  ...withdrawal,
  ...stepOf(withdrawal, change),
  ...fieldsOf(withdrawal, change),
  version: withdrawal.version + 1
})

const fieldsOf = (withdrawal: Progress, change: WithdrawalChange): Partial<Progress> => {
  switch (change._tag) {
    case "Queued":
    case "Approved":
    case "Requeued":
      return { queuedAtMillis: change.atMillis }
    case "Submitted":
      return { sequence: change.sequence, ...unrefused }
    case "AttemptStored":
      return {
        attempts: change.attempt,
        reference: change.purpose === "cancel" ? withdrawal.reference : change.reference,
        ...unrefused
      }
    case "RefusalRecorded":
      return {
        refusal: change.refusal,
        refusedAtMillis: withdrawal.refusedAtMillis ?? change.atMillis,
        queuedAtMillis: withdrawal.state === "QUEUED" ? change.atMillis : withdrawal.queuedAtMillis
      }
    case "CancelRequested":
      return { cancelledBy: change.by, cancelReason: change.reason }
    case "EndRequested":
      return {
        ending: change.ending,
        endedBy: change.by,
        reason: change.reason,
        reference: change.reference ?? withdrawal.reference
      }
    case "Settled":
      return { reference: change.reference }
    case "Held":
    case "Returned":
      return {}
  }
}

const unrefused = { refusedAtMillis: null, refusal: null }

const isPayable = (state: WithdrawalState): boolean => payableStates.some((payable) => payable === state)
